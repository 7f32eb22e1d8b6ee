import type { ReactNode } from 'react';

/** Names and values side by side, as many in a line as there is room. */
export function Facts({ children }: { children: ReactNode }) {
  return <dl className="flex flex-wrap gap-x-6 gap-y-2">{children}</dl>;
}

export function Fact({
  name,
  title,
  children,
}: {
  name: string;
  title?: string | undefined;
  children: ReactNode;
}) {
  return (
    <div title={title}>
      <dt className="text-xs text-muted">{name}</dt>
      <dd className="text-sm">{children}</dd>
    </div>
  );
}
