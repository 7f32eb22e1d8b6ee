import { type ButtonHTMLAttributes, type ReactNode, useEffect, useState } from 'react';
import { TOLD_MS } from '../limits.js';
import { classNames } from './class-names.js';

type Look = 'plain' | 'primary' | 'danger' | 'quiet';

const LOOKS: Record<Look, string> = {
  plain: 'border-line-strong bg-panel hover:not-aria-disabled:bg-hover',
  primary: 'border-transparent bg-accent-solid text-white hover:not-aria-disabled:brightness-110',
  danger: 'border-line-strong bg-panel text-bad hover:not-aria-disabled:bg-bad-soft',
  quiet:
    'border-transparent text-muted hover:not-aria-disabled:bg-hover hover:not-aria-disabled:text-text',
};

export function buttonLook(look: Look = 'plain'): string {
  return classNames(
    'inline-flex h-8 shrink-0 items-center justify-center gap-1.5 rounded border px-2.5 text-sm font-medium whitespace-nowrap',
    'aria-disabled:cursor-not-allowed aria-disabled:opacity-60',
    LOOKS[look],
  );
}

type ButtonProps = Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'disabled' | 'title'> & {
  look?: Look;
  icon?: ReactNode;
  /** What it will do. */
  title?: string | undefined;
  /** Why it cannot be used now; it stays reachable, so that the reason can be read. */
  refused?: string | null | undefined;
};

export function Button({
  look,
  icon,
  title,
  refused,
  className,
  onClick,
  children,
  type = 'button',
  ...rest
}: ButtonProps) {
  const isRefused = refused !== null && refused !== undefined;
  const [told, setTold] = useState(false);
  useEffect(() => {
    if (!told) return;
    const timer = setTimeout(() => setTold(false), TOLD_MS);
    return () => clearTimeout(timer);
  }, [told]);
  return (
    <>
      <button
        {...rest}
        type={type}
        title={isRefused ? refused : title}
        aria-disabled={isRefused || undefined}
        onClick={(event) => {
          if (!isRefused) return onClick?.(event);
          event.preventDefault();
          setTold(true);
        }}
        className={classNames(buttonLook(look), className)}
      >
        {icon}
        {children}
        {isRefused && <span className="sr-only">({refused})</span>}
      </button>
      {isRefused && told && (
        // A finger has no way to a title.
        <span
          role="status"
          className="fixed inset-x-4 bottom-20 z-50 mx-auto w-fit max-w-md rounded border border-line-strong bg-panel px-3 py-2 text-center text-sm text-text md:bottom-6"
        >
          {refused}
        </span>
      )}
    </>
  );
}
