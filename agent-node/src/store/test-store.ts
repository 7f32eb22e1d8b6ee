import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createThreadId, type Hash, type ThreadId } from '@uncaged/protocol/ids';
import { onTestFinished } from 'vitest';
import { type OpenOptions, openStore } from './open-store.js';
import type { Store } from './store.js';
import type { NewThread, ThreadRow } from './types.js';

/** What the tests of this module build on. */

export const NO_LIMITS = { node: 1_000, workflows: {} };

export function temporaryRoot(): string {
  const root = mkdtempSync(join(tmpdir(), 'uwf-store-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  return root;
}

export async function temporaryStore(options: Partial<OpenOptions> = {}): Promise<Store> {
  const store = await openStore(temporaryRoot(), { clock: Date.now, ...options });
  onTestFinished(() => store.close());
  return store;
}

export function putStart(store: Store, prompt = 'do it'): Hash {
  return store.nodes.put('start', {
    workflow: 'demo',
    definition: null,
    bundle: null,
    prompt: store.nodes.putText(prompt),
    inputs: null,
    depth: 0,
    parentState: null,
    workspace: null,
  });
}

export function createThread(store: Store, fields: Partial<NewThread> = {}): ThreadId {
  const id = fields.id ?? createThreadId(Date.now());
  store.write('full', () => {
    const start = fields.start ?? putStart(store);
    store.threads.create({
      id,
      workflow: 'demo',
      version: start,
      kind: 'definition',
      worker: 'definitions',
      options: { agents: {}, maxSteps: null, maxVisits: null, budget: null, stopAt: null },
      prompt200: 'do it',
      workspace: '/tmp',
      depth: 0,
      parent: null,
      parentSeq: null,
      forkedFrom: null,
      forkedSeq: null,
      imported: false,
      createdAt: Date.now(),
      ...fields,
      start,
    });
  });
  return id;
}

export function claim(
  store: Store,
  limits: Parameters<Store['threads']['claimNext']>[1] = NO_LIMITS,
  workerKey = 'definitions',
): ThreadRow | null {
  return store.write('normal', () =>
    store.threads.claimNext(
      {
        workerKey,
        instance: 'worker-1',
        identity: { pid: 4711, processStart: '1', bootId: 'boot' },
        renewedAt: 1_000,
      },
      limits,
    ),
  );
}

/** A thread with a lease. */
export function runningThread(store: Store, fields: Partial<NewThread> = {}): ThreadRow {
  createThread(store, fields);
  const thread = claim(store);
  if (thread === null) throw new Error('nothing to claim');
  return thread;
}

export function startStep(store: Store, thread: ThreadRow, seq: number, attempt = 1): void {
  store.write('normal', () =>
    store.steps.start({
      thread: thread.id,
      seq,
      attempt,
      fence: thread.fence,
      role: 'worker',
      agent: 'run',
      startedAt: 10,
    }),
  );
}

type CommitInput = Parameters<Store['steps']['commit']>[0];

export function commitInput(
  store: Store,
  thread: Pick<ThreadRow, 'id' | 'fence'>,
  seq: number,
  fields: Partial<CommitInput> = {},
): CommitInput {
  return {
    thread: thread.id,
    seq,
    attempt: 1,
    fence: thread.fence,
    state: {
      role: 'worker',
      content: store.nodes.putText(`said ${seq}`),
      meta: { $status: 'ok' },
      compact: null,
      childThread: null,
      agent: 'run',
      session: null,
      usage: null,
      startedAt: 10,
      timestamp: 20,
    },
    casRefs: [],
    usage: { input: 1, cacheRead: 2, cacheWrite: 3, output: 4 },
    usd: 0.5,
    ...fields,
  };
}

export function commitStep(
  store: Store,
  thread: Pick<ThreadRow, 'id' | 'fence'>,
  seq: number,
): Hash {
  return store.write('full', () => store.steps.commit(commitInput(store, thread, seq)));
}

export const END_130 = {
  returnCode: 130,
  summary: 'killed',
  ownSummary: null,
  startedAt: 30,
  timestamp: 40,
};
