import { type ReactNode, useState } from 'react';

/** Something long that begins short, with a button for the rest of it. */
export function ShowAll({
  all,
  when = true,
  className,
  children,
}: {
  /** Behind "Show": "all 34". */
  all: string;
  /** Whether it is long at all. */
  when?: boolean;
  className?: string;
  children: (isAll: boolean) => ReactNode;
}) {
  const [isAll, setIsAll] = useState(false);
  if (!when) return children(true);
  return (
    <>
      {children(isAll)}
      <div className={className}>
        <button
          type="button"
          aria-expanded={isAll}
          onClick={() => setIsAll(!isAll)}
          className="text-xs text-accent hover:underline"
        >
          {isAll ? 'Show less' : `Show ${all}`}
        </button>
      </div>
    </>
  );
}
