import { Link } from '@tanstack/react-router';
import type { StepJson, ThreadDetail } from '@uncaged/protocol/api';
import { ChevronRight, GitFork } from 'lucide-react';
import type { ReactNode } from 'react';
import {
  Button,
  CopyId,
  classNames,
  Elapsed,
  formatCount,
  formatUsd,
  Notice,
  Status,
  shortId,
  ValueView,
} from '../../ui/index.js';
import { tokensInWords, tokensOf } from '../threads/index.js';
import { StepContent } from './step-content.js';

type StepCardProps = {
  node: string;
  step: StepJson;
  isOpen: boolean;
  isSelected: boolean;
  /** Flashes each time this grows from 0 or more. */
  flash: number;
  onToggle: () => void;
  /** Why the thread failed, when this step is where it did. */
  brokeHere: ThreadDetail['problem'];
  /** Opens the dialog that does this step again, in a thread of its own; null: nothing can be forked there. */
  onFork: (() => void) | null;
  /** Of the step in flight: what it says. */
  live: ReactNode;
};

/** One attempt of a step: who, how it went, what it said and what came out of it. */
export function StepCard(props: StepCardProps) {
  const { node, step, isOpen, isSelected, flash, onToggle, brokeHere, onFork, live } = props;
  const { seq, attempt, role, status, startedAt, committedAt, usage, usd, agent, hash } = step;
  const tokens = tokensOf(usage);
  const heading = `step-${seq}-${attempt}`;
  const outcome = typeof step.meta?.$status === 'string' ? step.meta.$status : null;
  return (
    <article
      aria-labelledby={heading}
      className={classNames('relative rounded-md border bg-panel', isSelected && 'border-accent')}
    >
      {flash > 0 && <span key={flash} aria-hidden className="flash" />}
      <header className="flex items-start gap-1 px-2 py-1.5">
        <div className="flex min-w-0 flex-1 flex-wrap items-center gap-x-3 gap-y-1">
          <h3 id={heading} className="min-w-44 flex-1">
            <button
              type="button"
              aria-expanded={isOpen}
              onClick={onToggle}
              className="flex w-full min-w-0 items-center gap-2 text-left"
            >
              <ChevronRight
                className={classNames('size-4 shrink-0 text-muted', isOpen && 'rotate-90')}
                aria-hidden
              />
              <span className="w-6 shrink-0 text-right text-sm text-muted">{seq}</span>
              <span className="truncate font-medium">{role}</span>
              {attempt > 1 && <span className="shrink-0 text-sm text-warn">attempt {attempt}</span>}
              <Status status={brokeHere === null ? status : 'failed'} />
            </button>
          </h3>
          <span className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-muted max-sm:pl-6">
            {outcome !== null && (
              <span
                className={classNames('max-w-40 truncate', brokeHere !== null && 'text-bad')}
                title={`It came to $status ${outcome}`}
              >
                → {outcome}
              </span>
            )}
            {agent !== 'run' && <span title="The agent that carried it out">{agent}</span>}
            {tokens > 0 && <span title={tokensInWords(usage)}>{formatCount(tokens)} tokens</span>}
            {usd > 0 && <span>{formatUsd(usd)}</span>}
            <Elapsed from={startedAt} to={status === 'running' ? null : committedAt} />
            {hash !== null && <CopyId id={hash} what="step" />}
          </span>
        </div>
        {isOpen && onFork !== null && (
          <Button
            look="quiet"
            icon={<GitFork className="size-4" aria-hidden />}
            aria-label={`Fork from here: ${forkTitle(step)}`}
            title={forkTitle(step)}
            className="-my-1.5 -mr-1.5"
            onClick={onFork}
          />
        )}
      </header>
      {isOpen && (
        <div className="flex flex-col gap-3 border-t p-3">
          {step.problem !== null && (
            <Notice kind={status === 'failed' ? 'error' : 'warning'}>
              <span className="font-medium">{step.problem.code}</span>: {step.problem.message}
            </Notice>
          )}
          {brokeHere !== null && (
            <Notice kind="error">
              The step was carried out, and here the thread failed:{' '}
              <span className="font-medium">{brokeHere.code}</span>, as is said above in full.
            </Notice>
          )}
          {step.childThread !== null && (
            <p className="text-sm">
              Carried out by thread{' '}
              <Link
                to="/nodes/$node/threads/$id"
                params={{ node, id: step.childThread }}
                className="font-mono text-xs text-accent underline"
              >
                {shortId(step.childThread)}
              </Link>
            </p>
          )}
          {status === 'running' ? live : <StepContent node={node} step={step} />}
          {step.meta !== null && Object.keys(step.meta).length > 0 && (
            <section aria-label={`What came out of ${role}`} className="rounded border">
              <ValueView value={step.meta} />
            </section>
          )}
        </div>
      )}
    </article>
  );
}

function forkTitle({ seq, role }: StepJson): string {
  const kept = seq === 1 ? 'begins anew' : `keeps steps 1–${seq - 1}`;
  return `A new thread that ${kept} and runs ${role} again`;
}
