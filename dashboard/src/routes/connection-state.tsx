import { CloudOff, LoaderCircle, Radio } from 'lucide-react';
import { useLive, useLiveSource } from '../features/live/index.js';
import { Button, formatAgo, Notice, useNow } from '../ui/index.js';

/** Whether what is seen is what is. */
export function ConnectionState() {
  const { state } = useLive(({ connection }) => connection);
  const look = 'inline-flex items-center gap-1.5 px-1 text-xs';
  if (state === 'live')
    return (
      <span
        role="status"
        className={`${look} text-good`}
        title="What happens appears here at once."
      >
        <Radio className="size-3.5" aria-hidden />
        Live
      </span>
    );
  if (state === 'connecting')
    return (
      <span role="status" className={`${look} text-muted`}>
        <LoaderCircle className="size-3.5 motion-safe:animate-spin" aria-hidden />
        Connecting…
      </span>
    );
  return (
    <span role="status" className={`${look} text-warn`}>
      <CloudOff className="size-3.5" aria-hidden />
      {state === 'reconnecting' ? 'Reconnecting…' : 'Logged out'}
    </span>
  );
}

/** Says it large when what is seen may be old. */
export function ConnectionBanner() {
  const connection = useLive((state) => state.connection);
  const live = useLiveSource();
  const now = useNow(connection.state === 'reconnecting');
  if (connection.state === 'live' || connection.state === 'logged-out') return null;
  const again = <Button onClick={live.restart}>Try now</Button>;
  if (connection.state === 'connecting')
    return connection.why === null ? null : (
      <Notice kind="warning" className="rounded-none" action={again}>
        No live data yet: {connection.why}
      </Notice>
    );
  return (
    <Notice kind="warning" className="rounded-none" action={again}>
      <span className="font-medium">
        The connection is down; this is how things were {formatAgo(now - connection.lastAt)}.
      </span>{' '}
      {connection.why}
    </Notice>
  );
}
