import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createThreadId, type ThreadId } from '@uncaged/protocol/ids';
import { expect, it, onTestFinished } from 'vitest';
import { openStore, type Store } from '../store/index.js';
import { createResumer } from './interrupted.js';

async function openTestStore(): Promise<Store> {
  const root = mkdtempSync(join(tmpdir(), 'uwf-resumer-'));
  const store = await openStore(root, { clock: Date.now });
  onTestFinished(() => {
    store.close();
    rmSync(root, { recursive: true, force: true });
  });
  return store;
}

function createThread(store: Store): ThreadId {
  const id = createThreadId(Date.now());
  store.write('full', () => {
    const start = store.nodes.put('start', {
      workflow: 'demo',
      definition: null,
      bundle: null,
      prompt: store.nodes.putText('p'),
      inputs: null,
      depth: 0,
      parentState: null,
      workspace: null,
    });
    store.threads.create({
      id,
      workflow: 'demo',
      version: start,
      kind: 'definition',
      worker: 'definitions',
      start,
      options: { agents: {}, maxSteps: null, maxVisits: null, budget: null, stopAt: 1 },
      prompt200: '',
      workspace: '/',
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

it('a thread that is put back into the queue still stops where it was to', async () => {
  const store = await openTestStore();
  const id = createThread(store);
  const owner = {
    workerKey: 'definitions',
    instance: 'worker-1',
    identity: { pid: 4711, processStart: '1', bootId: 'boot' },
    renewedAt: 0,
  };
  store.write('normal', () => store.threads.claimNext(owner, { node: 1, workflows: {} }));
  store.threads.interruptDead(() => true);
  const resumed: string[] = [];
  createResumer({
    store,
    interruptedMax: 3,
    onResumed: (thread) => resumed.push(thread.id),
    onGivenUp: () => undefined,
  })();
  expect(resumed).toEqual([id]);
  expect(store.threads.get(id)).toMatchObject({ status: 'queued', options: { stopAt: 1 } });
});

it('a copy from a pack that ran where it comes from is left as it is', async () => {
  const store = await openTestStore();
  const id = createThread(store);
  const row = store.threads.get(id);
  if (row === null) throw new Error('it is there');
  const copy = createThreadId(Date.now());
  store.write('full', () =>
    store.threads.insertCopy({ ...row, id: copy, status: 'running', imported: true }, []),
  );
  expect(store.threads.get(copy)).toMatchObject({ status: 'interrupted', imported: true });
  const resumed: string[] = [];
  const note = (thread: { id: string }) => resumed.push(thread.id);
  createResumer({ store, interruptedMax: 3, onResumed: note, onGivenUp: note })();
  expect(resumed).toEqual([]);
  expect(store.threads.get(copy)?.status).toBe('interrupted');
});
