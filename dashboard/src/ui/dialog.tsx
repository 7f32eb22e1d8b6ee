import { X } from 'lucide-react';
import { Dialog as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { Button } from './button.js';

/** A window over the page; Escape and a click beside it close it, and the focus goes back to where it was. */
export function Dialog({
  title,
  description,
  open,
  onOpenChange,
  children,
}: {
  title: string;
  description: string;
  open: boolean;
  onOpenChange: (open: boolean) => void;
  children: ReactNode;
}) {
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 bg-black/45" />
        <Radix.Content className="fixed inset-x-0 bottom-0 z-50 mx-auto flex max-h-[92dvh] w-full max-w-2xl flex-col rounded-t-lg border bg-panel sm:inset-y-0 sm:my-auto sm:h-fit sm:rounded-lg">
          <header className="flex items-start gap-3 border-b px-4 py-3">
            <div className="min-w-0 flex-1">
              <Radix.Title className="font-semibold">{title}</Radix.Title>
              <Radix.Description className="text-sm text-muted">{description}</Radix.Description>
            </div>
            <Radix.Close asChild>
              <Button look="quiet" aria-label="Close" icon={<X className="size-4" aria-hidden />} />
            </Radix.Close>
          </header>
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
