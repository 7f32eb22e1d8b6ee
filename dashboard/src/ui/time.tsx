import { formatAgo, formatDuration, formatTime, fullTime } from './format.js';
import { useNow } from './use-now.js';

/** A point in time, local; its title has the zone and UTC. */
export function Time({ at, className }: { at: string; className?: string }) {
  return (
    <time dateTime={at} title={fullTime(at)} className={className}>
      {formatTime(at, Date.now())}
    </time>
  );
}

/** How long ago, kept up to date. */
export function Ago({ at, className }: { at: string; className?: string }) {
  const now = useNow();
  return (
    <time dateTime={at} title={fullTime(at)} className={className}>
      {formatAgo(now - Date.parse(at))}
    </time>
  );
}

/** From a beginning to an end; without an end it goes on. */
export function Elapsed({
  from,
  to,
  className,
}: {
  from: string;
  to: string | null;
  className?: string;
}) {
  const now = useNow(to === null);
  const end = to === null ? now : Date.parse(to);
  return <span className={className}>{formatDuration(end - Date.parse(from))}</span>;
}
