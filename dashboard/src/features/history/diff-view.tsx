import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ThreadDiff } from '@uncaged/protocol/api';
import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { getDiff, keys } from '../../api/index.js';
import {
  Button,
  formatCount,
  formatDuration,
  formatUsd,
  Loaded,
  Notice,
  Panel,
  shortId,
} from '../../ui/index.js';
import { tokensInWords, tokensOf } from '../threads/index.js';
import { StepDiff } from './step-diff.js';

type DiffViewProps = {
  node: string;
  id: string;
  other: string;
  /** Something else when either has changed. */
  revision: string;
  onClose: () => void;
};

/** Two threads side by side, from the first step on that they do not share. */
export function DiffView({ node, id, other, revision, onClose }: DiffViewProps) {
  const query = useQuery({
    queryKey: [...keys.diff(node, id, other), revision],
    queryFn: ({ signal }) => getDiff(node, id, other, signal),
    placeholderData: keepPreviousData,
  });
  return (
    <Panel
      title={`This one and ${shortId(other)}`}
      action={
        <Button
          look="quiet"
          aria-label="Close the comparison"
          icon={<X className="size-4" aria-hidden />}
          onClick={onClose}
        />
      }
    >
      <Loaded query={query} what="the comparison">
        {(diff) => <Differences node={node} diff={diff} />}
      </Loaded>
    </Panel>
  );
}

function Differences({ node, diff }: { node: string; diff: ThreadDiff }) {
  const { sharedSteps, steps, isCut } = diff;
  return (
    <div className="flex flex-col gap-3">
      <p className="text-sm">
        {sharedSteps === 0
          ? 'They share no step.'
          : sharedSteps === 1
            ? 'They share step 1.'
            : `They share steps 1–${sharedSteps}.`}{' '}
        {steps.length === 0 ? 'Neither has more.' : 'From there on:'}
      </p>
      {steps.length > 0 && <Totals diff={diff} />}
      <ol className="flex flex-col gap-2">
        {steps.map((step) => (
          <li key={step.seq}>
            <StepDiff node={node} step={step} />
          </li>
        ))}
      </ol>
      {isCut && (
        <Notice kind="info">Only the first {steps.length} of these steps are compared.</Notice>
      )}
    </div>
  );
}

/** What each came to after the steps they share. */
function Totals({ diff: { a, b, totals } }: { diff: ThreadDiff }) {
  const line = (name: string, of: (total: ThreadDiff['totals']['a']) => ReactNode) => (
    <tr className="border-t">
      <th scope="row" className="py-1 pr-4 text-left font-normal text-muted">
        {name}
      </th>
      <td className="py-1 pr-4 text-right">{of(totals.a)}</td>
      <td className="py-1 text-right">{of(totals.b)}</td>
    </tr>
  );
  const head = 'py-1 text-right font-normal text-muted';
  return (
    <table className="w-fit text-sm">
      <thead>
        <tr>
          <th scope="col">
            <span className="sr-only">What</span>
          </th>
          <th scope="col" className={`${head} pr-4`} title={a.threadId}>
            this one
          </th>
          <th scope="col" className={head} title={b.threadId}>
            {shortId(b.threadId)}
          </th>
        </tr>
      </thead>
      <tbody>
        {line('Steps', ({ steps }) => steps)}
        {line('Tokens', ({ usage }) => (
          <span title={tokensInWords(usage)}>{formatCount(tokensOf(usage))}</span>
        ))}
        {line('Cost', ({ usd }) => formatUsd(usd))}
        {line('Duration', ({ durationMs }) => formatDuration(durationMs))}
      </tbody>
    </table>
  );
}
