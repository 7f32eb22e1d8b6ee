import { Fact, Facts, formatCount, formatUsd, Loaded, Panel, Status } from '../../ui/index.js';
import { type Today, useToday } from './today.js';

/** What was started today, and what it has cost so far. */
export function TodayPanel() {
  return (
    <Panel title="Today">
      <Loaded query={useToday()} what="today's threads">
        {(today) => <TodayFacts today={today} />}
      </Loaded>
    </Panel>
  );
}

function TodayFacts({ today: { started, byStatus, tokens, usd, more } }: { today: Today }) {
  const counts = Object.entries(byStatus) as [keyof Today['byStatus'], number][];
  return (
    <div className="flex flex-col gap-3">
      <Facts>
        <Fact name="Threads started">
          <span className="text-lg font-semibold">
            {formatCount(started)}
            {more && '+'}
          </span>
        </Fact>
        <Fact name="Tokens" title={`${tokens.toLocaleString('en-US')} tokens`}>
          <span className="text-lg font-semibold">{formatCount(tokens)}</span>
        </Fact>
        <Fact name="Cost">
          <span className="text-lg font-semibold">{formatUsd(usd)}</span>
        </Fact>
      </Facts>
      {counts.length > 0 && (
        <ul className="flex flex-wrap gap-x-4 gap-y-1">
          {counts.map(([status, count]) => (
            <li key={status} className="flex items-center gap-1.5 text-sm">
              {count} <Status status={status} />
            </li>
          ))}
        </ul>
      )}
      {started === 0 && <p className="text-sm text-muted">Nothing was started since midnight.</p>}
      {more && (
        <p className="text-xs text-muted">
          Only the newest {started.toLocaleString('en-US')} are counted.
        </p>
      )}
    </div>
  );
}
