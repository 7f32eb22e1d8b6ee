import { CircleAlert, CloudOff, Inbox, LoaderCircle, RefreshCw } from 'lucide-react';
import type { ReactNode } from 'react';
import { failureText, isProblem } from '../api/index.js';
import { Button } from './button.js';
import { classNames } from './class-names.js';

function Frame({
  icon,
  children,
  className,
}: {
  icon: ReactNode;
  children: ReactNode;
  className?: string | undefined;
}) {
  return (
    <div
      className={classNames(
        'flex flex-col items-center gap-2 px-4 py-8 text-center text-sm text-muted',
        className,
      )}
    >
      {icon}
      {children}
    </div>
  );
}

/** Something is on its way. `what`: "threads", "the log". */
export function Loading({ what, className }: { what: string; className?: string }) {
  return (
    <Frame
      icon={<LoaderCircle className="size-5 motion-safe:animate-spin" aria-hidden />}
      className={className}
    >
      <p role="status">Loading {what}…</p>
    </Frame>
  );
}

/** There is nothing, and that is fine. */
export function Empty({
  children,
  action,
  className,
}: {
  children: ReactNode;
  action?: ReactNode;
  className?: string;
}) {
  return (
    <Frame icon={<Inbox className="size-5" aria-hidden />} className={className}>
      <div className="max-w-prose">{children}</div>
      {action}
    </Frame>
  );
}

/** It could not be loaded: why, and once more. */
export function Failed({
  what,
  error,
  onRetry,
  className,
}: {
  what: string;
  error: unknown;
  onRetry?: (() => void) | undefined;
  className?: string;
}) {
  const away = isProblem(error) && error.retryable;
  const Icon = away ? CloudOff : CircleAlert;
  return (
    <Frame
      icon={<Icon className={classNames('size-5', !away && 'text-bad')} aria-hidden />}
      className={className}
    >
      <div role="alert" className="max-w-prose wrap-anywhere">
        <p className="font-medium text-text">Could not load {what}.</p>
        <p>{failureText(error)}</p>
      </div>
      {onRetry && (
        <Button onClick={onRetry} icon={<RefreshCw className="size-3.5" aria-hidden />}>
          Try again
        </Button>
      )}
    </Frame>
  );
}
