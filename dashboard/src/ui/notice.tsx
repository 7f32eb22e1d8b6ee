import { CircleAlert, Info, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { classNames } from './class-names.js';

const LOOKS = {
  info: { Icon: Info, look: 'bg-accent-soft text-accent' },
  warning: { Icon: TriangleAlert, look: 'bg-warn-soft text-warn' },
  error: { Icon: CircleAlert, look: 'bg-bad-soft text-bad' },
} as const;

/** A sentence that matters where it stands. */
export function Notice({
  kind,
  children,
  action,
  className,
}: {
  kind: keyof typeof LOOKS;
  children: ReactNode;
  action?: ReactNode;
  className?: string;
}) {
  const { Icon, look } = LOOKS[kind];
  return (
    <div
      role={kind === 'error' ? 'alert' : 'status'}
      className={classNames('flex items-start gap-2 rounded px-3 py-2 text-sm', look, className)}
    >
      <Icon className={classNames('size-4 shrink-0', action ? 'mt-2' : 'mt-0.5')} aria-hidden />
      <div className={classNames('min-w-0 flex-1 wrap-anywhere', action ? 'py-1.5' : null)}>
        {children}
      </div>
      {action}
    </div>
  );
}
