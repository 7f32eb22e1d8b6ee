import { type ReactNode, useId } from 'react';
import { classNames } from './class-names.js';

/** A part of a page with its own heading. */
export function Panel({
  title,
  count,
  action,
  children,
  className,
  flush = false,
}: {
  title: string;
  count?: number | string | undefined;
  action?: ReactNode;
  children: ReactNode;
  className?: string;
  /** The content goes to the edges: lists and tables. */
  flush?: boolean;
}) {
  const heading = useId();
  return (
    <section
      aria-labelledby={heading}
      className={classNames('@container rounded-md border bg-panel', className)}
    >
      <header className="flex min-h-10 items-center gap-2 border-b px-3 py-1">
        <h2 id={heading} className="text-sm font-semibold">
          {title}
        </h2>
        {count !== undefined && <span className="text-sm text-muted">{count}</span>}
        <div className="ml-auto flex items-center gap-2">{action}</div>
      </header>
      <div className={flush ? '' : 'p-3'}>{children}</div>
    </section>
  );
}
