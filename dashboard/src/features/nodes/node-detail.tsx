import type { MachineDetail } from '@uncaged/protocol/api';
import { Ago, Fact, Facts, formatBytes, Notice, Panel, Status, Time } from '../../ui/index.js';
import { Labels, Version } from './node-facts.js';

const ALLOW_WORDS: Record<MachineDetail['allow'][number], string> = {
  read: 'read',
  control: 'control threads',
  run: 'start threads',
  publish: 'change workflows',
};

/** What the gateway knows of a node; what the node last said of itself, when it is away. */
export function NodeDetail({ machine, usual }: { machine: MachineDetail; usual: string | null }) {
  const { node, allow, state, seenAt } = machine;
  return (
    <div className="flex flex-col gap-4">
      {state === 'update-needed' && (
        <Notice kind="error">
          The gateway refused this node: they speak no protocol in common. Install the version the
          gateway has instead of {machine.version}, and start it again.
        </Notice>
      )}
      {state === 'offline' && (
        <Notice kind="warning">
          Not connected since <Time at={machine.since} />.{' '}
          {seenAt === null ? (
            'Nothing is known of it from before.'
          ) : (
            <>
              Everything below is as it was <Ago at={seenAt} />.
            </>
          )}
        </Notice>
      )}
      <Panel title="Node">
        <Facts>
          <Fact name="State">
            <Status status={state} />
          </Fact>
          <Fact name={state === 'online' ? 'Connected since' : 'Last seen'}>
            <Time at={machine.since} />
          </Fact>
          <Fact name="Version">
            <Version version={machine.version} usual={usual} />
          </Fact>
          <Fact name="Round trip" title="Of the last ping">
            {machine.rttMs === null
              ? '–'
              : `${machine.rttMs < 1 ? '<1' : Math.round(machine.rttMs)} ms`}
          </Fact>
          <Fact name="Gateway">{machine.gateway}</Fact>
          <Fact name="Store">{node === null ? '–' : formatBytes(node.disk.storeBytes)}</Fact>
          <Fact name="Threads at once">{node?.limits.threads ?? '–'}</Fact>
          <Fact name="Lets others" title="Its --allow">
            {allow.length === 0
              ? 'do nothing'
              : allow.map((right) => ALLOW_WORDS[right]).join(', ')}
          </Fact>
          <Fact name="Labels">
            <Labels labels={machine.labels} />
          </Fact>
        </Facts>
      </Panel>
      {node !== null && <CountsPanel counts={node.counts} />}
    </div>
  );
}

function CountsPanel({ counts }: { counts: NonNullable<MachineDetail['node']>['counts'] }) {
  const all = (Object.entries(counts) as [keyof typeof counts, number][]).filter(
    ([, count]) => count > 0,
  );
  return (
    <Panel title="Threads by status">
      {all.length === 0 ? (
        <p className="text-sm text-muted">It has no threads.</p>
      ) : (
        <ul className="flex flex-wrap gap-x-5 gap-y-1">
          {all.map(([status, count]) => (
            <li key={status} className="flex items-center gap-1.5">
              {count.toLocaleString('en-US')} <Status status={status} />
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}
