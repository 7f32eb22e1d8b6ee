import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Payload } from '@uncaged/protocol/cas';
import { createThreadId } from '@uncaged/protocol/ids';
import { definitionWorkflow } from '@uncaged/protocol/moderator';
import {
  type Definition,
  definitionSchema,
  type RunRoleRequest,
  type WorkflowRun,
} from '@uncaged/protocol/workflow';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AgentResult } from '../agents/index.js';
import { createValidator } from '../extract/index.js';
import { monotonicMs, processIdentity } from '../process/index.js';
import { openStore, type Settlement, type Store } from '../store/index.js';
import { driveThread } from './drive-thread.js';
import { NOTHING_NESTED } from './test-nested.js';

const NOTHING = {
  description: null,
  goal: null,
  capabilities: null,
  procedure: null,
  output: null,
  frontmatter: null,
  run: null,
  agent: null,
  timeout: null,
  retry: null,
  maxVisits: null,
  workspace: null,
};
const SCHEMA = { type: 'object', properties: { $status: { const: 'ok' } }, required: ['$status'] };
const role = { ...NOTHING, frontmatter: SCHEMA };

/** Two roles, one after the other. */
const PAIR: Definition = definitionSchema.parse({
  name: 'pair',
  description: null,
  inputs: null,
  maxSteps: null,
  budget: null,
  roles: { first: role, second: role },
  graph: {
    __start__: { _: { role: 'first', prompt: 'go' } },
    first: { ok: { role: 'second', prompt: 'go on' } },
    second: { ok: { role: '__end__', prompt: 'done' } },
  },
  moderator: null,
});

const RIGHT = '---\n$status: ok\n---\nDone.';
const usage = (input: number) => ({ input, cacheRead: 0, cacheWrite: 0, output: 1 });
const told = (output: string, input: number): AgentResult => ({
  exitCode: null,
  usage: usage(input),
  sessionId: null,
  trace: {
    turns: [
      { input: null, output, reasoning: null, toolCalls: [], usage: usage(input), latencyMs: 1 },
    ],
    durationMs: 10,
  },
});

describe('a thread that is driven', () => {
  let root: string;
  let store: Store;
  beforeEach(async () => {
    root = mkdtempSync(join(tmpdir(), 'uwf-drive-'));
    store = await openStore(root, { clock: Date.now });
  });
  afterEach(() => {
    store.close();
    rmSync(root, { recursive: true, force: true });
  });

  /** Drives a new thread; the agent says these one after the other. */
  async function drive(
    says: readonly { text: string; result: AgentResult }[],
    how: { stopAt?: number; definition?: Definition | null; run?: WorkflowRun } = {},
  ): Promise<{ settlement: Settlement | null; states: Payload<'state'>[]; asked: number }> {
    const { stopAt = null, definition = PAIR, run = definitionWorkflow(PAIR) } = how;
    const id = createThreadId(Date.now());
    const version = store.write('full', () => {
      const hash = store.nodes.put('definition', PAIR);
      const start = store.nodes.put('start', {
        workflow: 'pair',
        definition: hash,
        bundle: null,
        prompt: store.nodes.putText('do it'),
        inputs: null,
        depth: 0,
        parentState: null,
        workspace: null,
      });
      const nobody = { parent: null, parentSeq: null, forkedFrom: null, forkedSeq: null };
      store.threads.create({
        ...nobody,
        id,
        workflow: 'pair',
        version: hash,
        kind: 'definition',
        worker: id,
        start,
        options: { agents: {}, maxSteps: null, maxVisits: null, budget: null, stopAt },
        prompt200: '',
        workspace: root,
        depth: 0,
        imported: false,
        createdAt: Date.now(),
      });
      return hash;
    });
    const owner = {
      workerKey: id,
      instance: id,
      identity: processIdentity(process.pid)!,
      renewedAt: monotonicMs(),
    };
    const limits = { node: 9, workflows: {} };
    const thread = store.write('normal', () => store.threads.claimNext(owner, limits))!;
    let asked = 0;
    const settlement = await driveThread(
      {
        store,
        clock: Date.now,
        random: Math.random,
        nested: NOTHING_NESTED,
        agentFor: async () => ({
          kind: 'scripted',
          name: 'fake',
          run: async (task) => {
            const { text, result } = says[asked++]!;
            task.onOutput(Buffer.from(text));
            return result;
          },
        }),
        log: () => undefined,
        env: {},
        validator: createValidator(),
        killGraceMs: 100,
      },
      thread,
      { name: 'pair', kind: 'definition', version, definition, run },
      {
        signal: new AbortController().signal,
        pauseRequested: () => false,
        nextChange: () => new Promise<void>(() => undefined),
      },
    );
    const states = store.steps
      .list(id)
      .filter(({ status }) => status === 'committed')
      .map(({ hash }) => store.nodes.get(hash!)!.payload as Payload<'state'>);
    return { settlement, states, asked };
  }

  it('keeps the turns of every asking of a step in the one session of its state', async () => {
    const silent: AgentResult = { exitCode: null, usage: null, sessionId: null, trace: null };
    const { settlement, states } = await drive([
      { text: 'not an answer', result: told('a', 5) },
      { text: RIGHT, result: told('b', 7) },
      { text: RIGHT, result: silent },
    ]);
    expect(settlement).toMatchObject({ status: 'ended', end: { returnCode: 0 } });
    const session = store.nodes.get(states[0]!.session!)!.payload as Payload<'session'>;
    expect(session).toMatchObject({
      agent: 'fake',
      role: 'first',
      totalTokens: { input: 12, cacheRead: 0, cacheWrite: 0, output: 2 },
      durationMs: 20,
    });
    const turns = session.turns.map((hash) => store.nodes.get(hash)!.payload as Payload<'turn'>);
    expect(turns.map(({ output }) => store.nodes.readText(output!))).toEqual(['a', 'b']);
    expect(states[0]!.usage).toEqual(session.totalTokens);
    expect(states[1]!.session).toBeNull();
  });

  it('leaves nothing of a trace in the store when its step does not get done', async () => {
    const wrong = { text: 'no', result: told('only here', 1) };
    const { settlement, states } = await drive([wrong, wrong, wrong]);
    expect(settlement).toMatchObject({ status: 'failed', problem: { code: 'answer-invalid' } });
    expect(states).toEqual([]);
    expect(store.nodes.list({ type: 'session', limit: 9 })).toEqual([]);
    expect(store.nodes.list({ type: 'turn', limit: 9 })).toEqual([]);
  });

  const right = { text: RIGHT, result: told('x', 1) };

  it('stops where it was to, and reaches its end where nothing follows that step', async () => {
    const first = await drive([right], { stopAt: 1 });
    expect(first).toMatchObject({ settlement: { status: 'paused', reason: 'user' }, asked: 1 });
    expect(first.states.map((state) => state.role)).toEqual(['first']);
    const both = await drive([right, right], { stopAt: 2 });
    expect(both).toMatchObject({ settlement: { status: 'ended' }, asked: 2 });
  });

  it('stops there too where a bundle makes its steps without runRole, or does not heed it', async () => {
    const request = (name: string): RunRoleRequest => ({
      role: name,
      prompt: '',
      task: 'go',
      schema: SCHEMA,
    });
    let made = 0;
    const ownSteps: WorkflowRun = async function* (_, { cas }) {
      for (;;) {
        made += 1;
        const contentHash = await cas.put(`own ${made}`);
        yield { role: 'own', contentHash, meta: {}, refs: [contentHash] };
      }
    };
    const own = await drive([], { stopAt: 2, definition: null, run: ownSteps });
    expect(own.settlement).toEqual({ status: 'paused', reason: 'user' });
    expect([made, own.states.length]).toEqual([2, 2]);

    const deaf: WorkflowRun = async function* (_, { runRole }) {
      for (;;) {
        try {
          yield { role: 'first', ...(await runRole(request('first'))) };
        } catch {
          // Code that takes its stop for a failure of its own; what it returns must not count.
          return { returnCode: 7, summary: 'ended for a wrong reason' };
        }
      }
    };
    for (const definition of [null, PAIR]) {
      const { settlement, asked } = await drive([right, right], {
        stopAt: 1,
        definition,
        run: deaf,
      });
      expect(settlement).toEqual({ status: 'paused', reason: 'user' });
      expect(asked).toBe(1);
    }
  });
});
