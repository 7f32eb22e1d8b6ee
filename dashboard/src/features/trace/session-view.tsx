import type { Trace } from '@uncaged/protocol/api';
import { Wrench } from 'lucide-react';
import { useState } from 'react';
import { TURNS_AT_FIRST } from '../../limits.js';
import {
  Button,
  Fact,
  Facts,
  formatCount,
  formatDuration,
  Notice,
  ShowAll,
} from '../../ui/index.js';
import { tokensInWords, tokensOf } from '../threads/index.js';
import { TraceText } from './trace-text.js';

type Turn = Trace['turns'][number];
type ToolCall = Turn['toolCalls'][number];

/** Calls of a turn that stand there at first. */
const CALLS_AT_FIRST = 8;

/** A session of an agent: its turns, and in each the tools it called. */
export function SessionView({ node, trace }: { node: string; trace: Trace }) {
  const { agent, usage, durationMs, turnCount, turns } = trace;
  const [shown, setShown] = useState(TURNS_AT_FIRST);
  const calls = turns.reduce((sum, { toolCallCount }) => sum + toolCallCount, 0);
  return (
    <div className="flex flex-col gap-3">
      <Facts>
        <Fact name="Agent">{agent}</Fact>
        <Fact name="Turns">{formatCount(turnCount)}</Fact>
        <Fact name="Tool calls">{formatCount(calls)}</Fact>
        {durationMs !== null && <Fact name="Duration">{formatDuration(durationMs)}</Fact>}
        {usage !== null && (
          <Fact name="Tokens" title={tokensInWords(usage)}>
            {formatCount(tokensOf(usage))}
          </Fact>
        )}
      </Facts>
      <ol className="flex flex-col gap-2">
        {turns.slice(0, shown).map((turn, index) => (
          // The same turn twice has the same hash.
          // biome-ignore lint/suspicious/noArrayIndexKey: a stored trace does not change
          <li key={index}>
            <TurnView node={node} turn={turn} number={index + 1} />
          </li>
        ))}
      </ol>
      {shown < turns.length && (
        <Button className="self-center" onClick={() => setShown(shown + TURNS_AT_FIRST)}>
          Show more of {formatCount(turns.length)} turns
        </Button>
      )}
      {turns.length < turnCount && (
        <Notice kind="info">
          Of {formatCount(turnCount)} turns the first {formatCount(turns.length)} are here.
        </Notice>
      )}
    </div>
  );
}

function TurnView({ node, turn, number }: { node: string; turn: Turn; number: number }) {
  const { input, output, reasoning, usage, durationMs, toolCalls, toolCallCount } = turn;
  return (
    <section aria-label={`Turn ${number}`} className="rounded-md border bg-panel">
      <h3 className="flex flex-wrap items-center gap-x-3 border-b px-3 py-1.5 text-sm">
        <span className="font-medium">Turn {number}</span>
        <span className="ml-auto flex gap-3 font-normal text-muted">
          {usage !== null && (
            <span title={tokensInWords(usage)}>{formatCount(tokensOf(usage))} tokens</span>
          )}
          {durationMs !== null && <span>{formatDuration(durationMs)}</span>}
        </span>
      </h3>
      <div className="flex flex-col gap-2 p-3">
        <TraceText node={node} name="Asked" text={input} />
        <TraceText node={node} name="Reasoning" text={reasoning} quiet />
        <TraceText node={node} name="Said" text={output} />
        {toolCalls.length > 0 && (
          <ShowAll
            all={`all ${toolCalls.length} calls`}
            when={toolCalls.length > CALLS_AT_FIRST + 1}
          >
            {(isAll) => (
              <ol className="flex flex-col gap-2">
                {(isAll ? toolCalls : toolCalls.slice(0, CALLS_AT_FIRST)).map((call, index) => (
                  // As of turns.
                  // biome-ignore lint/suspicious/noArrayIndexKey: a stored trace does not change
                  <li key={index}>
                    <CallView node={node} call={call} />
                  </li>
                ))}
              </ol>
            )}
          </ShowAll>
        )}
        {toolCalls.length < toolCallCount && (
          <p className="text-xs text-muted">
            Of {formatCount(toolCallCount)} calls the first {formatCount(toolCalls.length)} are
            here.
          </p>
        )}
      </div>
    </section>
  );
}

/** A tool that was called: closed at first, its beginning beside its name. */
function CallView({ node, call }: { node: string; call: ToolCall }) {
  const { name, durationMs } = call;
  return (
    <details className="rounded border bg-sunken">
      <summary className="flex min-w-0 items-center gap-2 px-2 py-1 text-sm">
        <Wrench className="size-3.5 shrink-0 text-muted" aria-hidden />
        <span className="max-w-[60%] truncate font-mono text-xs font-semibold">{name}</span>
        <span className="min-w-0 flex-1 truncate font-mono text-xs text-muted">
          {call.arguments?.text?.replace(/\s+/g, ' ')}
        </span>
        {durationMs !== null && (
          <span className="shrink-0 text-muted">{formatDuration(durationMs)}</span>
        )}
      </summary>
      <div className="flex flex-col gap-2 border-t p-2">
        <TraceText node={node} name="Arguments" text={call.arguments} />
        <TraceText node={node} name="Result" text={call.result} />
      </div>
    </details>
  );
}
