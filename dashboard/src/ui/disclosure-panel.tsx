import { type ReactNode, useState } from 'react';

/** Where there is room beside the content, as in Tailwind's `xl`. */
const WIDE = '(min-width: 80rem)';

/** A panel that is open at first only where there is room for it. */
export function DisclosurePanel({
  title,
  children,
  className = '',
}: {
  title: string;
  children: ReactNode;
  className?: string;
}) {
  const [isOpen, setIsOpen] = useState(() => matchMedia(WIDE).matches);
  return (
    <details
      open={isOpen}
      onToggle={(event) => setIsOpen(event.currentTarget.open)}
      className={`@container rounded-md border bg-panel ${className}`}
    >
      <summary className="px-3 py-2.5 text-sm font-semibold">{title}</summary>
      <div className="border-t p-3">{children}</div>
    </details>
  );
}
