import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Payload } from '@uncaged/protocol/cas';
import type { Hash } from '@uncaged/protocol/ids';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AgentToolCall, AgentTrace, AgentTurn } from '../agents/index.js';
import { openStore, type Store } from '../store/index.js';
import { traceJson } from '../views/index.js';
import { TRACE_CALLS_MAX, TRACE_TEXT_MAX_BYTES, TRACE_TURNS_MAX } from './limits.js';
import { prepareSession } from './session-nodes.js';

const call = (more: Partial<AgentToolCall> = {}): AgentToolCall => ({
  name: 'read',
  arguments: '{"path":"a.txt"}',
  result: 'the file',
  durationMs: 4,
  ...more,
});
const turn = (more: Partial<AgentTurn> = {}): AgentTurn => ({
  input: null,
  output: null,
  reasoning: null,
  toolCalls: [],
  usage: null,
  latencyMs: null,
  ...more,
});

describe('prepareSession', () => {
  let root: string;
  let store: Store;
  beforeEach(async () => {
    root = mkdtempSync(join(tmpdir(), 'uwf-session-'));
    store = await openStore(root, { clock: Date.now });
  });
  afterEach(() => {
    store.close();
    rmSync(root, { recursive: true, force: true });
  });

  function write(traces: AgentTrace[], usage: AgentTurn['usage'] = null): Hash {
    const session = prepareSession(store.nodes, { agent: 'fake', role: 'coder', traces, usage })!;
    store.write('full', () => {
      for (const node of session.nodes) node.put();
    });
    return session.hash;
  }
  const payload = <T extends 'session' | 'turn' | 'toolCall'>(hash: Hash) =>
    store.nodes.get(hash)!.payload as Payload<T>;
  const turnsOf = (hash: Hash) =>
    payload<'session'>(hash).turns.map((each) => payload<'turn'>(each));
  const text = (hash: Hash | null) => (hash === null ? null : store.nodes.readText(hash));

  it('makes session, turn, call and content nodes with the exact numbers, in order', () => {
    const first = turn({
      input: 'look',
      output: 'looked',
      reasoning: 'hm',
      toolCalls: [call(), call({ name: 'write', result: null, durationMs: null })],
      usage: { input: 10, cacheRead: 1, cacheWrite: 2, output: 3 },
      latencyMs: 120.4,
    });
    const second = turn({ output: 'done', usage: { ...first.usage!, input: 5 } });
    const hash = write([{ turns: [first, second], durationMs: 200 }]);
    expect(payload<'session'>(hash)).toMatchObject({
      agent: 'fake',
      role: 'coder',
      totalTokens: { input: 15, cacheRead: 2, cacheWrite: 4, output: 6 },
      durationMs: 200,
    });
    const [one, two] = turnsOf(hash);
    expect([one!.input, one!.output, one!.reasoning].map(text)).toEqual(['look', 'looked', 'hm']);
    expect(one).toMatchObject({ tokens: first.usage, latencyMs: 120 });
    expect(two).toMatchObject({ input: null, reasoning: null, toolCalls: [], latencyMs: null });
    expect(text(two!.output)).toBe('done');
    const calls = one!.toolCalls.map((each) => payload<'toolCall'>(each));
    expect(calls.map(({ name, durationMs }) => [name, durationMs])).toEqual([
      ['read', 4],
      ['write', null],
    ]);
    expect(calls.map((each) => [text(each.arguments), text(each.result)])).toEqual([
      ['{"path":"a.txt"}', 'the file'],
      ['{"path":"a.txt"}', null],
    ]);
  });

  it('is nothing for an agent that tells nothing, and an empty session for one that did nothing', () => {
    const none = { agent: 'fake', role: 'coder', traces: [], usage: null };
    expect(prepareSession(store.nodes, none)).toBeNull();
    expect(payload<'session'>(write([{ turns: [], durationMs: null }]))).toEqual({
      agent: 'fake',
      role: 'coder',
      turns: [],
      totalTokens: null,
      durationMs: null,
    });
  });

  it('makes one session of all askings, and takes the usage of the step where the agent gave one', () => {
    const trace = (output: string, durationMs: number | null) => ({
      turns: [turn({ output, usage: { input: 1, cacheRead: 0, cacheWrite: 0, output: 0 } })],
      durationMs,
    });
    const usage = { input: 9, cacheRead: 8, cacheWrite: 7, output: 6 };
    const hash = write([trace('no', 10), trace('no again', null), trace('yes', 5)], usage);
    expect(turnsOf(hash).map(({ output }) => text(output))).toEqual(['no', 'no again', 'yes']);
    expect(payload<'session'>(hash)).toMatchObject({ totalTokens: usage, durationMs: 15 });
  });

  it('keeps both ends of too many turns, the first of too many calls, and says what is missing', () => {
    const turns = Array.from({ length: TRACE_TURNS_MAX + 10 }, (_, n) => turn({ output: `t${n}` }));
    const kept = turnsOf(write([{ turns, durationMs: null }])).map(({ output }) => text(output));
    expect(kept).toHaveLength(TRACE_TURNS_MAX);
    expect([kept[0], kept.at(-1)]).toEqual(['t0', `t${TRACE_TURNS_MAX + 9}`]);
    expect(kept.filter((each) => !/^t\d+$/.test(each!))).toEqual(['… (11 turns left out)']);

    const toolCalls = Array.from({ length: TRACE_CALLS_MAX + 1 }, (_, n) =>
      call({ name: `c${n}` }),
    );
    const [busy] = turnsOf(write([{ turns: [turn({ toolCalls })], durationMs: null }]));
    const calls = busy!.toolCalls.map((each) => payload<'toolCall'>(each));
    expect(calls).toHaveLength(TRACE_CALLS_MAX);
    expect(calls.at(-2)!.name).toBe(`c${TRACE_CALLS_MAX - 2}`);
    expect(text(calls.at(-1)!.result)).toBe('(2 calls left out)');
  });

  it('keeps long texts in parts, cuts longer ones at a character, and all together at their limit', () => {
    const long = '漢'.repeat(500_000);
    const tooLong = `x${'漢'.repeat(TRACE_TEXT_MAX_BYTES / 3 + 10)}`;
    const hash = write([{ turns: [turn({ input: long, output: tooLong })], durationMs: null }]);
    const [only] = turnsOf(hash);
    expect(store.nodes.get(only!.input!)!.type).toBe('parts');
    expect(text(only!.input) === long).toBe(true);
    const cut = text(only!.output)!;
    const [kept, note] = cut.split('…');
    expect(tooLong.startsWith(kept!)).toBe(true);
    expect(Buffer.byteLength(kept!)).toBeLessThanOrEqual(TRACE_TEXT_MAX_BYTES);
    expect(note).toBe(` (${Buffer.byteLength(tooLong) - Buffer.byteLength(kept!)} bytes left out)`);

    const megabytes = (n: number) => turn({ output: `${n} ${'y'.repeat(TRACE_TEXT_MAX_BYTES)}` });
    const flood = write([
      { turns: Array.from({ length: 12 }, (_, n) => megabytes(n)), durationMs: 1 },
    ]);
    const sizes = turnsOf(flood).map(({ output }) => store.nodes.contentSize(output!));
    expect(sizes.filter((size) => size > TRACE_TEXT_MAX_BYTES)).toHaveLength(8);
    expect(text(turnsOf(flood).at(-1)!.output)).toMatch(/^… \(\d+ bytes left out\)$/);
  });

  it('is seen by its first 4 kB of each text, with how many turns and calls there are', () => {
    const output = 'z'.repeat(10_000);
    const turns = Array.from({ length: 205 }, () => turn({ output, toolCalls: [call()] }));
    const hash = write([{ turns, durationMs: 3 }]);
    const trace = traceJson(store, hash)!;
    expect(trace).toMatchObject({ hash, agent: 'fake', role: 'coder', turnCount: 205 });
    expect(trace.turns).toHaveLength(200);
    expect(trace.turns[0]).toMatchObject({
      input: null,
      output: { text: output.slice(0, 4096), size: 10_000 },
      toolCallCount: 1,
      toolCalls: [{ name: 'read', arguments: { text: '{"path":"a.txt"}' }, durationMs: 4 }],
    });
    expect(traceJson(store, '0000000000000')).toBeNull();
  });
});
