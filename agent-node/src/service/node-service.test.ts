import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { addThread, pretendWorker, startStep } from '../api/test-api.js';
import { openStore, type Store } from '../store/index.js';
import { createResumer } from './interrupted.js';
import {
  builtWorker,
  buryWorker,
  claimAndDie,
  makeRoot,
  openTestService,
  until,
} from './test-service.js';

const statusOf = (store: Store, id: string) => store.threads.get(id)?.status;

/** A thread of the built-in workflow, queued by a service that does not start a worker for it. */
async function queueDemo(root: string, store: Store): Promise<string> {
  pretendWorker(store);
  const { service } = await openTestService(root);
  const response = await service.api.app.request('/api/threads', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ workflow: 'demo', prompt: 'look' }),
  });
  expect(response.status).toBe(201);
  await service.close();
  const { threadId } = (await response.json()) as { threadId: string };
  expect(statusOf(store, threadId)).toBe('queued');
  return threadId;
}

/** A thread whose newest step was interrupted so often. */
function addInterrupted(store: Store, times: number): string {
  const id = addThread(store);
  for (let attempt = 1; attempt <= times; attempt++) {
    startStep(store, claimAndDie(store), 1, attempt);
    store.threads.interruptDead((lease) => lease.thread === id);
    if (attempt < times) store.write('full', () => store.threads.requeue(id, { retry: false }));
  }
  expect(statusOf(store, id)).toBe('interrupted');
  return id;
}

const queuedEvents = (store: Store, thread: string) =>
  store.events
    .after({ seq: 0, thread, limit: 1_000 })
    .filter(({ type }) => type === 'thread.queued').length;

describe('the house of a node', () => {
  it('gives a queued thread a worker when the one that was to take it is gone', async () => {
    const { root, store } = await makeRoot();
    const id = await queueDemo(root, store);
    buryWorker(store);
    await openTestService(root, { program: builtWorker() });
    await until('the thread ends', () => statusOf(store, id) === 'completed');
  });

  it('resumes at start what a dead worker left behind', async () => {
    const { root, store } = await makeRoot();
    const id = await queueDemo(root, store);
    startStep(store, claimAndDie(store), 1);
    buryWorker(store);
    const { log } = await openTestService(root, { program: builtWorker() });
    await until('the thread ends', () => statusOf(store, id) === 'completed');
    expect(store.steps.list(id).map(({ seq, attempt, status }) => [seq, attempt, status])).toEqual([
      [1, 1, 'interrupted'],
      [1, 2, 'committed'],
      [2, 1, 'committed'],
    ]);
    expect(log.filter((line) => line.includes(`thread ${id} (demo) was interrupted`))).toHaveLength(
      1,
    );
  });

  it('resumes later what is interrupted while it runs', async () => {
    const { root, store } = await makeRoot();
    pretendWorker(store);
    await openTestService(root);
    const id = addThread(store);
    startStep(store, claimAndDie(store), 1);
    await until('it is queued again', () => queuedEvents(store, id) === 2);
    expect(statusOf(store, id)).toBe('queued');
  });

  it('leaves a step alone that was interrupted three times in a row, says so once and goes on with the others', async () => {
    const { root, store } = await makeRoot();
    pretendWorker(store);
    const id = addInterrupted(store, 3);
    const twice = addInterrupted(store, 2);
    const { log } = await openTestService(root);
    await until('the other one is resumed', () => statusOf(store, twice) === 'queued');
    const end = { returnCode: 130, summary: '', ownSummary: null, startedAt: 1, timestamp: 1 };
    store.write('full', () => store.threads.cancelIdle(twice, end));
    // More looks pass until this one is resumed.
    const later = addInterrupted(store, 1);
    await until('a later one is resumed', () => statusOf(store, later) === 'queued');
    expect(statusOf(store, id)).toBe('interrupted');
    const lines = log.filter((line) => line.includes(`thread ${id}`));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/left alone.*uwf thread show.*uwf thread resume.*uwf thread kill/);
  });

  it('does not resume for ever a thread whose workers die before they begin a step', async () => {
    const { root, store } = await makeRoot();
    pretendWorker(store);
    const { log } = await openTestService(root);
    const id = addThread(store);
    const isAlone = () => log.some((line) => line.includes('left alone'));
    let deaths = 0;
    await until('it is left alone', () => {
      if (statusOf(store, id) === 'queued') {
        claimAndDie(store);
        deaths += 1;
      }
      return isAlone();
    });
    expect(statusOf(store, id)).toBe('interrupted');
    expect(deaths).toBe(4);
  });

  it('does not touch what somebody told to pause, and ends what was told to end', async () => {
    const { root, store } = await makeRoot();
    pretendWorker(store);
    const paused = addThread(store);
    startStep(store, claimAndDie(store), 1);
    store.write('full', () => store.threads.setDesired(paused, 'pause'));
    const killed = addThread(store);
    startStep(store, claimAndDie(store), 1);
    store.write('full', () => store.threads.setDesired(killed, 'kill'));
    await openTestService(root);
    const other = addInterrupted(store, 1);
    await until('another one is resumed', () => statusOf(store, other) === 'queued');
    expect(statusOf(store, paused)).toBe('interrupted');
    expect(statusOf(store, killed)).toBe('cancelled');
  });

  it('resumes nothing while config.recovery is manual, or workflow.yaml was never read', async () => {
    const { root, store } = await makeRoot();
    pretendWorker(store);
    const file = join(root, 'workflow.yaml');
    writeFileSync(file, 'config: {recovery: sometimes}\n', { mode: 0o600 });
    const id = addInterrupted(store, 1);
    const { log } = await openTestService(root);
    await until('it complains', () => log.some((line) => line.includes('recovery')));
    expect(statusOf(store, id)).toBe('interrupted');
    writeFileSync(file, 'config: {recovery: manual}\n');
    const dead = addThread(store);
    claimAndDie(store);
    await until('it looked', () => statusOf(store, dead) === 'interrupted');
    expect(statusOf(store, id)).toBe('interrupted');
    expect(log.filter((line) => line.includes('recovery'))).toHaveLength(1);
    writeFileSync(file, 'config: {recovery: auto}\n');
    await until('it is resumed', () => statusOf(store, id) === 'queued');
  });

  it('is kept by two at once without doing anything twice', async () => {
    const { root, store } = await makeRoot();
    pretendWorker(store);
    const ids = Array.from({ length: 20 }, () => addInterrupted(store, 1));
    const opened = await Promise.all([openTestService(root), openTestService(root)]);
    await until('all are resumed', () => ids.every((id) => statusOf(store, id) === 'queued'));
    await Promise.all(opened.map(({ service }) => service.close()));
    expect(ids.map((id) => queuedEvents(store, id))).toEqual(ids.map(() => 2));
    const log = opened.flatMap((each) => each.log);
    expect(log.filter((line) => line.includes('goes on'))).toHaveLength(ids.length);
    expect(log).toHaveLength(ids.length);
  });

  it('lets be what somebody else resumed, or paused, a moment before', async () => {
    const { store } = await makeRoot();
    const id = addInterrupted(store, 1);
    const seen = store.threads.get(id)!;
    const told: string[] = [];
    const resume = createResumer({
      // It looked before the others wrote.
      store: { ...store, threads: { ...store.threads, list: () => [seen] } },
      interruptedMax: 3,
      onResumed: ({ id }) => told.push(`resumed ${id}`),
      onGivenUp: ({ id }) => told.push(`given up ${id}`),
    });
    const other = addInterrupted(store, 1);
    store.write('full', () => store.threads.setDesired(id, 'pause'));
    resume();
    store.write('full', () => store.threads.requeue(id, { retry: false }));
    resume();
    expect(statusOf(store, id)).toBe('queued');
    claimAndDie(store);
    resume();
    expect(statusOf(store, id)).toBe('running');
    expect(statusOf(store, other)).toBe('interrupted');
    expect(told).toEqual([]);
  });

  it('does not try a worker that does not start over and over', async () => {
    const { root, store } = await makeRoot();
    const file = join(root, 'broken.mjs');
    writeFileSync(file, "console.error('no luck'); process.exit(3);");
    addThread(store);
    const { log } = await openTestService(root, { program: { file, env: {} } });
    await until('it says so', () => log.some((line) => line.includes('no luck')));
    // Two more looks pass until both are noticed.
    for (let look = 1; look <= 2; look++) {
      addThread(store);
      const taken = claimAndDie(store);
      await until('another look', () => statusOf(store, taken.id) !== 'running');
    }
    expect(log.filter((line) => line.includes('did not start'))).toHaveLength(1);
  });
});

describe('a node service', () => {
  it.each([
    ['removed', (root: string) => rmSync(root, { recursive: true })],
    ['moved away', (root: string) => renameSync(root, `${root}-away`)],
  ])('ends when its root was %s, and does not make it again', async (_, take) => {
    const { root, store } = await makeRoot();
    onTestFinished(() => rmSync(`${root}-away`, { recursive: true, force: true }));
    addThread(store);
    const { service } = await openTestService(root, { limits: { houseEveryMs: 1 } });
    take(root);
    const problem = await service.ended;
    expect(problem.code).toBe('store-unavailable');
    expect(problem.message).toContain(`The store of ${root} was removed or replaced`);
    const response = await service.api.app.request('/api/threads');
    expect(response.status).toBe(500);
    await service.close();
    expect(existsSync(root)).toBe(false);
  });

  it('does not answer from a store that another one took the place of', async () => {
    const { root } = await makeRoot();
    const { service } = await openTestService(root, { limits: { placeEveryMs: 1_000_000 } });
    expect((await service.api.app.request('/api/threads')).status).toBe(200);
    for (const name of ['store.db', 'store.db-wal', 'store.db-shm'])
      rmSync(join(root, name), { force: true });
    (await openStore(root, { clock: Date.now })).close();
    expect((await service.api.app.request('/api/threads')).status).toBe(500);
    expect((await service.ended).code).toBe('store-unavailable');
  });

  it('counts what goes on without it, and closes twice and at once', async () => {
    const { root, store } = await makeRoot();
    const file = join(root, 'never.mjs');
    writeFileSync(file, 'setTimeout(() => process.exit(0), 4_000);');
    addThread(store);
    addThread(store);
    const { service, log } = await openTestService(root, {
      program: { file, env: {} },
      limits: { closeWaitMs: 50 },
    });
    expect(service.detachedThreads()).toBe(2);
    const startedAt = performance.now();
    await Promise.all([service.close(), service.close()]);
    expect(performance.now() - startedAt).toBeLessThan(2_000);
    expect(log).toEqual([]);
  });

  it('takes its limits from UWF_LIMITS too', async () => {
    const { root, store } = await makeRoot();
    pretendWorker(store);
    const id = addInterrupted(store, 1);
    const env = { UWF_LIMITS: JSON.stringify({ interruptedMax: 1, deadAfterMs: 15_000 }) };
    const { log } = await openTestService(root, { env });
    await until('it is left alone', () => log.some((line) => line.includes('left alone')));
    expect(statusOf(store, id)).toBe('interrupted');
  });
});
