import { useState } from 'react';
import type { LogRecord } from '../../api/index.js';
import { LOG_LINES } from '../../limits.js';
import { Button, Empty, Loaded } from '../../ui/index.js';
import { useLog } from './thread-queries.js';

/** The debug log of a thread, its end first of all. */
export function LogTab({ node, id }: { node: string; id: string }) {
  return (
    <Loaded query={useLog(node, id)} what="the log">
      {(records) =>
        records.length === 0 ? <Empty>The log is empty.</Empty> : <LogLines records={records} />
      }
    </Loaded>
  );
}

function LogLines({ records }: { records: LogRecord[] }) {
  const [all, setAll] = useState(false);
  const hidden = all ? 0 : Math.max(0, records.length - LOG_LINES);
  return (
    <div className="rounded-md border bg-panel">
      {hidden > 0 && (
        <div className="flex items-center gap-3 border-b px-3 py-2 text-sm text-muted">
          The last {LOG_LINES.toLocaleString('en-US')} of {records.length.toLocaleString('en-US')}{' '}
          lines
          <Button onClick={() => setAll(true)}>Show all</Button>
        </div>
      )}
      <ol className="overflow-x-auto p-2 font-mono text-xs leading-5">
        {records.slice(hidden).map(({ timestamp, tag, content }, index) => (
          // A log only grows at its end.
          // biome-ignore lint/suspicious/noArrayIndexKey: a line has nothing but its place
          <li key={hidden + index} className="grid grid-cols-[auto_auto_minmax(0,1fr)] gap-3">
            <time dateTime={new Date(timestamp).toISOString()} className="text-muted">
              {clock(timestamp)}
            </time>
            <span className="text-muted">{tag}</span>
            <span className="wrap-anywhere whitespace-pre-wrap">{content}</span>
          </li>
        ))}
      </ol>
    </div>
  );
}

/** `14:03:22.123`, local. */
function clock(ms: number): string {
  const time = new Date(ms);
  const text = time.toLocaleTimeString('en-GB', { hourCycle: 'h23' });
  return `${text}.${String(time.getMilliseconds()).padStart(3, '0')}`;
}
