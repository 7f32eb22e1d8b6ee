import { Link } from '@tanstack/react-router';
import type { ThreadDetail } from '@uncaged/protocol/api';
import { TriangleAlert } from 'lucide-react';
import {
  CopyId,
  Elapsed,
  Fact,
  Facts,
  formatCount,
  formatUsd,
  shortId,
  Time,
  ValueView,
} from '../../ui/index.js';
import { PlainText } from '../markdown/index.js';
import { tokensInWords, tokensOf } from '../threads/index.js';

/** What is known of a thread besides its steps. */
export function ThreadFacts({ node, thread }: { node: string; thread: ThreadDetail }) {
  const { workflow, version, current, usage, usd, startedAt, createdAt, stepCount } = thread;
  const max = thread.options.maxSteps;
  return (
    <Facts>
      <Fact name="Workflow">
        <Link
          to="/nodes/$node/workflows/$name"
          params={{ node, name: workflow }}
          className="hover:underline"
        >
          {workflow}
        </Link>{' '}
        <CopyId id={version} what="version" />
        {current !== null && (
          <span
            className="ml-1 inline-flex items-center gap-1 text-xs text-warn"
            title={`${workflow} now stands for ${current}; this thread keeps ${version}.`}
          >
            <TriangleAlert className="size-3" aria-hidden />
            moved on
          </span>
        )}
      </Fact>
      <Fact name="Node">
        <Link to="/nodes/$node" params={{ node }} className="hover:underline">
          {node}
        </Link>
      </Fact>
      <Fact name="Thread">
        <CopyId id={thread.threadId} what="thread" />
      </Fact>
      <Fact name={startedAt === null ? 'Created' : 'Started'}>
        <Time at={startedAt ?? createdAt} />
      </Fact>
      <Fact name="Elapsed">
        {startedAt === null ? '–' : <Elapsed from={startedAt} to={endOf(thread)} />}
      </Fact>
      <Fact name="Steps">
        {stepCount}
        {max !== null && <span className="text-muted"> of {max}</span>}
      </Fact>
      <Fact name="Tokens" title={tokensInWords(usage)}>
        {formatCount(tokensOf(usage))}
        {thread.options.budget?.tokens != null && (
          <span className="text-muted"> of {formatCount(thread.options.budget.tokens)}</span>
        )}
      </Fact>
      <Fact name="Cost">
        {formatUsd(usd)}
        {thread.options.budget?.usd != null && (
          <span className="text-muted"> of {formatUsd(thread.options.budget.usd)}</span>
        )}
      </Fact>
      {thread.parent !== null && (
        <OtherThread
          name="Part of"
          node={node}
          id={thread.parent}
          step={thread.parentSeq}
          behind={thread.parentSeq === null ? null : `as step ${thread.parentSeq}`}
        />
      )}
      {thread.forkedFrom !== null && (
        <OtherThread
          name="Forked from"
          node={node}
          id={thread.forkedFrom}
          step={thread.forkedSeq || null}
          behind={forkPlace(thread.forkedSeq)}
        />
      )}
    </Facts>
  );
}

/** While it runs it grows older; otherwise it stopped then. */
function endOf({ status, endedAt, updatedAt }: ThreadDetail): string | null {
  return status === 'running' ? null : (endedAt ?? updatedAt);
}

function forkPlace(seq: number | null): string | null {
  if (seq === null) return null;
  return seq === 0 ? 'from the beginning' : `after step ${seq}`;
}

type OtherThreadProps = {
  name: string;
  node: string;
  id: string;
  /** Where the two meet, which is shown there; null: it is not known, or there is none. */
  step: number | null;
  behind: string | null;
};

function OtherThread({ name, node, id, step, behind }: OtherThreadProps) {
  return (
    <Fact name={name}>
      <Link
        to="/nodes/$node/threads/$id"
        params={{ node, id }}
        search={step === null ? {} : { step }}
        className="font-mono text-xs underline"
      >
        {shortId(id)}
      </Link>{' '}
      {behind}
    </Fact>
  );
}

/** What it was asked to do, and with what. */
export function ThreadOrigin({ thread }: { thread: ThreadDetail }) {
  const { prompt, inputs, workspace, options } = thread;
  const agents = Object.entries(options.agents);
  return (
    <details className="rounded-md border bg-panel">
      <summary className="truncate px-3 py-2 text-sm">
        <span className="font-medium">Asked for</span>{' '}
        <span className="text-muted">
          {prompt.trim().split('\n')[0] || '(no prompt)'} · in {workspace}
        </span>
      </summary>
      <div className="flex flex-col gap-3 border-t p-3">
        {prompt.trim() !== '' && <PlainText text={prompt} />}
        <Facts>
          <Fact name="Workspace">
            <code className="wrap-anywhere">{workspace}</code>
          </Fact>
          {agents.map(([role, agent]) => (
            <Fact key={role} name={`Agent of ${role}`}>
              {agent}
            </Fact>
          ))}
        </Facts>
        {inputs !== null && Object.keys(inputs).length > 0 && (
          <div>
            <h3 className="mb-1 text-xs text-muted">Inputs</h3>
            <ValueView value={inputs} />
          </div>
        )}
      </div>
    </details>
  );
}
