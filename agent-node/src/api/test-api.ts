import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Allow } from '@uncaged/protocol/link';
import { onTestFinished } from 'vitest';
import { readLimits } from '../executor/index.js';
import { monotonicMs, processIdentity } from '../process/index.js';
import { openStore, type Store, type ThreadRow } from '../store/index.js';
import type { Caller } from './context.js';
import { createNodeApi, type NodeApi } from './create-node-api.js';
import type { ApiLimits } from './limits.js';

/** What the tests of the API build on: a node with a store of its own, asked in this process. */

export const ALL: readonly Allow[] = ['read', 'control', 'run', 'publish'];

export type TestApi = {
  api: NodeApi;
  /** Another process, as far as the API can tell. */
  store: Store;
  root: string;
  log: string[];
  /** Who asks from now on. */
  caller: { current: Caller | Error };
  ask: (
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ) => Promise<Response>;
};

export async function openTestApi(
  options: { limits?: Partial<ApiLimits>; workerFile?: string } = {},
): Promise<TestApi> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'uwf-api-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const store = await openStore(root, { clock: Date.now });
  onTestFinished(() => store.close());
  const apiStore = await openStore(root, { clock: Date.now, busyTimeoutMs: 50 });
  onTestFinished(() => apiStore.close());
  const log: string[] = [];
  const caller: TestApi['caller'] = { current: { role: 'operator', name: 'ann', allow: ALL } };
  const api = await createNodeApi({
    store: apiStore,
    clock: Date.now,
    executor: {
      limits: { ...readLimits({}), killGraceMs: 500 },
      // See `pretendWorker`.
      program: { file: options.workerFile ?? '/dev/null', env: process.env },
    },
    node: { name: 'test-node', labels: { os: 'linux' }, allow: ALL },
    authorize: () => {
      if (caller.current instanceof Error) throw caller.current;
      return caller.current;
    },
    log: (tag, text) => log.push(`${tag} ${text}`),
    limits: { lookEveryMs: 2, recoverEveryMs: 20, ...options.limits },
  });
  onTestFinished(() => api.close());
  const ask: TestApi['ask'] = async (method, path, body, headers = {}) =>
    api.app.request(path, {
      method,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined
        ? {}
        : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
  return { api, store, root, log, caller, ask };
}

/** This process has the key of the definitions' worker, so that none is started: threads stay queued. */
export function pretendWorker(store: Store): void {
  store.write('normal', () =>
    store.workers.register(
      {
        key: 'definitions',
        instance: 'worker-1',
        version: '0.1.0',
        startedAt: Date.now(),
        renewedAt: monotonicMs(),
        ...thisProcess(),
      },
      () => true,
    ),
  );
}

function thisProcess() {
  const identity = processIdentity(process.pid);
  if (identity === null) throw new Error('this process is not there');
  return identity;
}

let counter = 0;

/** A queued thread, written without the API; ids sort as they were made. */
export function addThread(store: Store, prompt = 'do it'): string {
  counter += 1;
  const id = `0${String(counter).padStart(25, '0')}`;
  store.write('full', () => {
    const start = store.nodes.put('start', {
      workflow: 'demo',
      definition: null,
      bundle: null,
      prompt: store.nodes.putText(prompt),
      inputs: null,
      depth: 0,
      parentState: null,
      workspace: '/srv',
    });
    store.threads.create({
      id,
      workflow: 'demo',
      version: start,
      kind: 'definition',
      worker: 'definitions',
      start,
      options: { agents: {}, maxSteps: null, maxVisits: null, budget: null, stopAt: null },
      prompt200: prompt,
      workspace: '/srv',
      depth: 0,
      parent: null,
      parentSeq: null,
      forkedFrom: null,
      forkedSeq: null,
      imported: false,
      createdAt: Date.now(),
    });
  });
  return id;
}

/** The oldest queued thread, run by this process, which last renewed its lease so many ms ago. */
export function claim(store: Store, renewedAgoMs = 0): ThreadRow {
  const row = store.write('normal', () =>
    store.threads.claimNext(
      {
        workerKey: 'definitions',
        instance: 'worker-1',
        identity: thisProcess(),
        renewedAt: monotonicMs() - renewedAgoMs,
      },
      { node: 1_000, workflows: {} },
    ),
  );
  if (row === null) throw new Error('nothing is queued');
  return row;
}

export function startStep(store: Store, { id, fence }: ThreadRow, seq: number, attempt = 1): void {
  const step = { thread: id, seq, attempt, fence, role: 'worker', agent: 'run', startedAt: 10 };
  store.write('normal', () => store.steps.start(step));
}

export function commitStep(
  store: Store,
  { id, fence }: ThreadRow,
  seq: number,
  text: string,
): string {
  return store.write('full', () =>
    store.steps.commit({
      thread: id,
      seq,
      attempt: 1,
      fence,
      state: {
        role: 'worker',
        content: store.nodes.putText(text),
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
      usage: null,
      usd: 0,
    }),
  );
}

export function endThread(store: Store, { id, fence }: ThreadRow): void {
  store.write('full', () =>
    store.threads.settle(id, fence, {
      status: 'ended',
      end: { returnCode: 0, summary: 'done', ownSummary: null, startedAt: 30, timestamp: 40 },
    }),
  );
}

export type SseMessage = { event: string; id: string | null; data: Record<string, unknown> };

/** Reads events one by one; comments are counted and passed over. */
export function readEvents(response: Response): {
  next: () => Promise<SseMessage | null>;
  /** Up to and with the first of this name, or the end. */
  until: (event: string) => Promise<SseMessage[]>;
  comments: () => number;
  cancel: () => Promise<void>;
} {
  const reader = response.body!.getReader();
  const decoder = new TextDecoder();
  let text = '';
  let comments = 0;
  const next = async (): Promise<SseMessage | null> => {
    for (;;) {
      const end = text.indexOf('\n\n');
      if (end >= 0) {
        const block = text.slice(0, end);
        text = text.slice(end + 2);
        if (block.startsWith(':')) comments += 1;
        else return parseBlock(block);
        continue;
      }
      const { done, value } = await reader.read();
      if (done) return null;
      text += decoder.decode(value, { stream: true });
    }
  };
  return {
    next,
    until: async (event) => {
      const all: SseMessage[] = [];
      for (;;) {
        const message = await next();
        if (message === null) return all;
        all.push(message);
        if (message.event === event) return all;
      }
    },
    comments: () => comments,
    cancel: () => reader.cancel(),
  };
}

function parseBlock(block: string): SseMessage {
  const fields = new Map(
    block.split('\n').map((line) => {
      const at = line.indexOf(': ');
      return [line.slice(0, at), line.slice(at + 2)];
    }),
  );
  return {
    event: fields.get('event') ?? '',
    id: fields.get('id') ?? null,
    data: JSON.parse(fields.get('data') ?? 'null'),
  };
}
