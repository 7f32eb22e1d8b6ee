import type { Usage } from '@uncaged/protocol/cas';
import type { Hash } from '@uncaged/protocol/ids';
import type { AgentToolCall, AgentTrace, AgentTurn } from '../agents/index.js';
import type { NodeTable, Prepared } from '../store/index.js';
import {
  TRACE_CALLS_MAX,
  TRACE_MAX_BYTES,
  TRACE_NAME_MAX_CHARS,
  TRACE_TEXT_MAX_BYTES,
  TRACE_TURNS_MAX,
} from './limits.js';
import { addUsage } from './usage.js';

type SessionInput = {
  agent: string;
  role: string;
  /** One for each time the agent was asked and told what it did. */
  traces: readonly AgentTrace[];
  /** Of the whole step, as the agent gave it; null: the sum of what its turns gave. */
  usage: Usage | null;
};

/**
 * What an agent did in a step as nodes, to be put in the step's commit: session → turns → tool calls → texts. Turns of all
 * askings are one session, in order. Bounded: of too many turns the middle goes, of too many calls the rest, of too much
 * text the end, each with a note in its place. Null when the agent told nothing.
 */
export function prepareSession(
  nodes: Pick<NodeTable, 'prepare' | 'prepareText'>,
  { agent, role, traces, usage }: SessionInput,
): { hash: Hash; nodes: Prepared[] } | null {
  if (traces.length === 0) return null;
  const prepared: Prepared[] = [];
  const add = (node: Prepared): Hash => {
    prepared.push(node);
    return node.hash;
  };
  const bound = createTextBound();
  const text = (given: string | null): Hash | null =>
    given === null ? null : add(nodes.prepareText(bound(given)));
  const toolCall = (call: AgentToolCall): Hash =>
    add(
      nodes.prepare('toolCall', {
        name: call.name.slice(0, TRACE_NAME_MAX_CHARS).toWellFormed(),
        arguments: text(call.arguments),
        result: text(call.result),
        durationMs: wholeMs(call.durationMs),
      }),
    );
  const turn = (given: AgentTurn): Hash =>
    add(
      nodes.prepare('turn', {
        input: text(given.input),
        output: text(given.output),
        reasoning: text(given.reasoning),
        toolCalls: boundCalls(given.toolCalls).map(toolCall),
        tokens: given.usage,
        latencyMs: wholeMs(given.latencyMs),
      }),
    );
  const turns = traces.flatMap((trace) => trace.turns);
  const hash = add(
    nodes.prepare('session', {
      agent,
      role,
      turns: boundTurns(turns).map(turn),
      totalTokens: usage ?? turns.map((each) => each.usage).reduce(addUsage, null),
      durationMs: wholeMs(traces.map((trace) => trace.durationMs).reduce(addMs, null)),
    }),
  );
  return { hash, nodes: prepared };
}

/** How an agent began and how it came to its answer tell most: of too many turns the middle is left out. */
function boundTurns(turns: readonly AgentTurn[]): readonly AgentTurn[] {
  if (turns.length <= TRACE_TURNS_MAX) return turns;
  const first = Math.floor(TRACE_TURNS_MAX / 2);
  const last = TRACE_TURNS_MAX - first - 1;
  const note: AgentTurn = {
    input: null,
    output: `… (${turns.length - first - last} turns left out)`,
    reasoning: null,
    toolCalls: [],
    usage: null,
    latencyMs: null,
  };
  return [...turns.slice(0, first), note, ...turns.slice(turns.length - last)];
}

function boundCalls(calls: readonly AgentToolCall[]): readonly AgentToolCall[] {
  if (calls.length <= TRACE_CALLS_MAX) return calls;
  const kept = TRACE_CALLS_MAX - 1;
  const result = `(${calls.length - kept} calls left out)`;
  return [...calls.slice(0, kept), { name: '…', arguments: null, result, durationMs: null }];
}

/** Cuts each text, and all together; what is cut says by how much. */
function createTextBound(): (text: string) => string {
  let left = TRACE_MAX_BYTES;
  return (given) => {
    const text = given.toWellFormed();
    const size = Buffer.byteLength(text);
    const room = Math.min(left, TRACE_TEXT_MAX_BYTES);
    left -= Math.min(size, room);
    if (size <= room) return text;
    // Not flushed: a character that the limit cuts is left out.
    const kept = new TextDecoder('utf-8', { ignoreBOM: true }).decode(
      Buffer.from(text).subarray(0, room),
      { stream: true },
    );
    return `${kept}… (${size - Buffer.byteLength(kept)} bytes left out)`;
  };
}

const addMs = (a: number | null, b: number | null) => (a === null || b === null ? (a ?? b) : a + b);

const wholeMs = (ms: number | null) => (ms === null ? null : Math.max(0, Math.round(ms)));
