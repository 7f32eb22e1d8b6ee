import type { ButtonHTMLAttributes, ReactNode } from 'react';
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
  return (
    <button
      {...rest}
      type={type}
      title={isRefused ? refused : title}
      aria-disabled={isRefused || undefined}
      onClick={(event) => {
        if (isRefused) event.preventDefault();
        else onClick?.(event);
      }}
      className={classNames(buttonLook(look), className)}
    >
      {icon}
      {children}
      {isRefused && <span className="sr-only">({refused})</span>}
    </button>
  );
}
