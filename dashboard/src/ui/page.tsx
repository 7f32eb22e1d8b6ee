import { type ReactNode, useEffect } from 'react';
import { classNames } from './class-names.js';

/** Frame of every view: its heading, which is the document's title too, and what can be done here. */
export function Page({
  title,
  above,
  beside,
  actions,
  wide = false,
  children,
}: {
  title: string;
  /** Where this is: a trail of links. */
  above?: ReactNode;
  beside?: ReactNode;
  actions?: ReactNode;
  /** Uses all the width there is. */
  wide?: boolean;
  children: ReactNode;
}) {
  useEffect(() => {
    document.title = `${title} · Uncaged Workflow`;
  }, [title]);
  return (
    <main
      id="main"
      tabIndex={-1}
      className={classNames(
        'mx-auto w-full px-3 py-4 outline-none sm:px-6',
        wide ? 'max-w-[110rem]' : 'max-w-6xl',
      )}
    >
      {above && <div className="mb-1 text-sm text-muted">{above}</div>}
      <div className="mb-4 flex flex-wrap items-center gap-x-3 gap-y-2">
        <h1 className="min-w-0 text-lg font-semibold wrap-anywhere">{title}</h1>
        {beside}
        <div className="ml-auto flex flex-wrap items-center gap-2">{actions}</div>
      </div>
      {children}
    </main>
  );
}
