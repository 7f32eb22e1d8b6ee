import type { StepDetail, Trace } from '@uncaged/protocol/api';
import type { Hash } from '@uncaged/protocol/ids';
import type { StepRow, Store } from '../store/index.js';
import { TRACE_CALLS_MAX, TRACE_TEXT_BYTES, TRACE_TURNS_MAX } from './limits.js';
import { readablePayload, readableText } from './readable.js';
import { readState, stepJson } from './step.js';

type TraceText = Trace['turns'][number]['input'];

/** A step with what its agent did. */
export function stepDetail(store: Store, row: StepRow): StepDetail {
  const session = readState(store, row).state?.session ?? null;
  return { ...stepJson(store, row), trace: session === null ? null : traceJson(store, session) };
}

/**
 * A session for reading: the beginning of every text, TRACE_TURNS_MAX turns and TRACE_CALLS_MAX calls in each; `turnCount`
 * and `toolCallCount` tell how many there are. Null when the session is not in the store; a turn, a call or a
 * text that is missing or damaged keeps its place.
 */
export function traceJson(store: Store, hash: Hash): Trace | null {
  const session = readablePayload(store, hash, 'session');
  if (session === null) return null;
  const { agent, role, totalTokens: usage, durationMs, turns } = session;
  return {
    hash,
    agent,
    role,
    usage,
    durationMs,
    turnCount: turns.length,
    turns: turns.slice(0, TRACE_TURNS_MAX).map((turn) => turnJson(store, turn)),
  };
}

function turnJson(store: Store, hash: Hash): Trace['turns'][number] {
  const turn = readablePayload(store, hash, 'turn');
  const calls = turn?.toolCalls ?? [];
  return {
    hash,
    input: textJson(store, turn?.input),
    output: textJson(store, turn?.output),
    reasoning: textJson(store, turn?.reasoning),
    usage: turn?.tokens ?? null,
    durationMs: turn?.latencyMs ?? null,
    toolCallCount: calls.length,
    toolCalls: calls.slice(0, TRACE_CALLS_MAX).map((call) => callJson(store, call)),
  };
}

function callJson(store: Store, hash: Hash): Trace['turns'][number]['toolCalls'][number] {
  const call = readablePayload(store, hash, 'toolCall');
  return {
    hash,
    name: call?.name ?? '',
    arguments: textJson(store, call?.arguments),
    result: textJson(store, call?.result),
    durationMs: call?.durationMs ?? null,
  };
}

function textJson(store: Store, hash: Hash | null | undefined): TraceText {
  if (hash === null || hash === undefined) return null;
  return { hash, ...(readableText(store, hash, TRACE_TEXT_BYTES) ?? { text: null, size: null }) };
}
