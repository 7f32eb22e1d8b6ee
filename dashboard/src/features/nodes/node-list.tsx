import { Link } from '@tanstack/react-router';
import type { MachineJson } from '@uncaged/protocol/api';
import { Ago, classNames, Status } from '../../ui/index.js';
import { useLive } from '../live/index.js';
import { FirstNode } from './first-node.js';
import { Labels, Version } from './node-facts.js';
import { usualVersion } from './node-queries.js';

export function NodeList({
  machines,
  compact = false,
}: {
  machines: MachineJson[];
  compact?: boolean;
}) {
  const usual = usualVersion(machines);
  if (machines.length === 0)
    return (
      <div className="p-4">
        <FirstNode />
      </div>
    );
  return (
    <ul className="divide-y">
      {machines.map((machine) => (
        <li key={machine.name}>
          <NodeRow machine={machine} usual={usual} compact={compact} />
        </li>
      ))}
    </ul>
  );
}

function NodeRow({
  machine,
  usual,
  compact,
}: {
  machine: MachineJson;
  usual: string | null;
  compact: boolean;
}) {
  const { name, state, since, version, labels, rttMs } = machine;
  const running = useLive(
    ({ threads }) =>
      Object.values(threads).filter(({ node, status }) => node === name && status === 'running')
        .length,
  );
  return (
    <Link
      to="/nodes/$node"
      params={{ node: name }}
      className="flex flex-wrap items-center gap-x-4 gap-y-1 px-3 py-2 hover:bg-hover"
    >
      <span
        className={classNames('min-w-20 flex-1 font-medium', !compact && 'basis-full @2xl:basis-0')}
      >
        {name}
      </span>
      {!compact && (
        <span className="order-last w-full @2xl:order-none @2xl:w-auto">
          <Labels labels={labels} />
        </span>
      )}
      {!compact && (
        <span className="text-sm text-muted @2xl:min-w-14">
          <Version version={version} usual={usual} />
        </span>
      )}
      {!compact && (
        // Empty it keeps its place in a line, so that what follows stands below its like.
        <span
          className={classNames(
            'text-sm text-muted @2xl:w-14 @2xl:text-right',
            rttMs === null && 'hidden @2xl:block',
          )}
          title="Round trip of the last ping"
        >
          {rttMs !== null && `${rttMs < 1 ? '<1' : Math.round(rttMs)} ms`}
        </span>
      )}
      <span className={classNames('text-sm text-muted', !compact && '@2xl:w-36 @2xl:text-right')}>
        {state === 'online' ? (
          `${running} running`
        ) : (
          <span title="Last seen">
            {!compact && 'last seen '}
            <Ago at={since} />
          </span>
        )}
      </span>
      <Status status={state} className={classNames('@2xl:justify-end', !compact && '@2xl:w-28')} />
    </Link>
  );
}
