import { appendFileSync, closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { createThreadId, type ThreadId } from '@uncaged/protocol/ids';
import { definitionWorkflow } from '@uncaged/protocol/moderator';
import type { Definition } from '@uncaged/protocol/workflow';
import type { Agent } from '../agent-node/src/agents/index.js';
import {
  driveThread,
  type EngineHost,
  type LoadedWorkflow,
} from '../agent-node/src/engine/index.js';
import { createValidator } from '../agent-node/src/extract/index.js';
import { monotonicMs, processIdentity } from '../agent-node/src/process/index.js';
import { openStore, type Store } from '../agent-node/src/store/index.js';

const CONTENT_BYTES = 500;
const LIMITS = { node: 1_000_000, workflows: {} };

/** Two roles that hand over to each other for ever; their agent answers at once. */
const role = {
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
export const pingPong: Definition = {
  name: 'ping-pong',
  description: null,
  inputs: null,
  maxSteps: null,
  budget: null,
  roles: { ping: role, pong: role },
  graph: {
    __start__: { _: { role: 'ping', prompt: 'go' } },
    ping: { ok: { role: 'pong', prompt: 'go on' } },
    pong: { ok: { role: 'ping', prompt: 'go on' } },
  },
  moderator: null,
};

/** The same as rules. */
export const pingPongRules: Definition = {
  ...pingPong,
  graph: null,
  moderator: [
    { from: '__start__', to: 'ping', when: null, prompt: 'go' },
    { from: 'ping', to: 'pong', when: "steps[-1].meta.'$status' = 'ok'", prompt: 'go on' },
    { from: 'pong', to: 'ping', when: "steps[-1].meta.'$status' = 'ok'", prompt: 'go on' },
  ],
};

/** 500 bytes that differ from step to step, so that each is a node of its own. */
export function answer(n: number): string {
  const head = `{"$status":"ok","n":${n},"text":"`;
  return `${head}${'x'.repeat(CONTENT_BYTES - head.length - 2)}"}`;
}

export async function openBenchStore(folder: string): Promise<Store> {
  return openStore(folder, { clock: Date.now });
}

const refuse = (): never => {
  throw new Error('nothing is nested here');
};
const NOTHING_NESTED: EngineHost['nested'] = {
  start: refuse,
  want: refuse,
  goOn: refuse,
  pauseWith: refuse,
  end: refuse,
  keep: refuse,
};

/** One per process, as a worker has it. */
const validator = createValidator();

/** Drives one new thread for `steps` steps; the thread pauses there. `onStep` hears when each answer is asked for. */
export async function driveNoop(
  store: Store,
  definition: Definition,
  steps: number,
  onStep: (n: number) => void = () => undefined,
): Promise<void> {
  let asked = 0;
  const agent: Agent = {
    kind: 'scripted',
    name: 'noop',
    run: async (task) => {
      onStep(++asked);
      task.onOutput(Buffer.from(answer(asked)));
      return { exitCode: null, usage: null, sessionId: null, trace: null };
    },
  };
  const version = store.write('normal', () => store.nodes.put('definition', definition));
  const workflow: LoadedWorkflow = {
    name: definition.name,
    kind: 'definition',
    version,
    definition,
    run: definitionWorkflow(definition),
  };
  const host: EngineHost = {
    store,
    clock: Date.now,
    random: Math.random,
    agentFor: async () => agent,
    nested: NOTHING_NESTED,
    log: () => undefined,
    env: {},
    validator,
    killGraceMs: 1_000,
  };
  const id = startNoop(store, version, steps);
  const identity = processIdentity(process.pid);
  if (identity === null) throw new Error('this process is missing in the process table');
  const owner = { workerKey: id, instance: id, identity, renewedAt: monotonicMs() };
  const thread = store.write('normal', () => store.threads.claimNext(owner, LIMITS));
  if (thread === null) throw new Error('the thread was not claimed');
  const control = {
    signal: new AbortController().signal,
    pauseRequested: () => false,
    nextChange: () => new Promise<void>(() => undefined),
  };
  const settlement = await driveThread(host, thread, workflow, control);
  if (settlement?.status !== 'paused')
    throw new Error(`unexpected end: ${JSON.stringify(settlement)}`);
  await store.enqueue('full', () => store.threads.settle(id, thread.fence, settlement));
  if (store.threads.get(id)?.steps !== steps) throw new Error('steps are missing');
}

/** A thread under a worker key of its own, so that exactly it is claimed. */
function startNoop(store: Store, version: string, maxSteps: number): ThreadId {
  const now = Date.now();
  const id = createThreadId(now);
  store.write('full', () => {
    const start = store.nodes.put('start', {
      workflow: 'ping-pong',
      definition: version,
      bundle: null,
      prompt: store.nodes.putText(`thread ${id}`),
      inputs: null,
      depth: 0,
      parentState: null,
      workspace: '/',
    });
    store.threads.create({
      id,
      workflow: 'ping-pong',
      version,
      kind: 'definition',
      worker: id,
      start,
      options: { agents: {}, maxSteps, maxVisits: null, budget: null, stopAt: null },
      prompt200: '',
      workspace: '/',
      depth: 0,
      parent: null,
      parentSeq: null,
      forkedFrom: null,
      forkedSeq: null,
      imported: false,
      createdAt: now,
    });
  });
  return id;
}

/** µs of one write + fsync of `bytes` appended to a file, `times` times. */
export function timeAppends(file: string, bytes: number, times: number): number[] {
  const record = Buffer.alloc(bytes, 'x');
  appendFileSync(file, '');
  const handle = openSync(file, 'a');
  const samples: number[] = [];
  for (let n = 0; n < times; n++) {
    const started = performance.now();
    writeSync(handle, record);
    fsyncSync(handle);
    samples.push((performance.now() - started) * 1_000);
  }
  closeSync(handle);
  return samples;
}
