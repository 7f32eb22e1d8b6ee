import { join } from 'node:path';
import { routes } from '@uncaged/protocol/api';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { addThread, claim, commitStep, endThread, openTestApi, startStep } from './test-api.js';

const linesOf = async (response: Response) =>
  (await response.text())
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe('collecting by the API', () => {
  it('tells line by line how far it is, and what came of it', async () => {
    const { ask, store } = await openTestApi();
    addThread(store);
    const orphan = store.write('full', () => store.nodes.putText('orphan'));
    const tried = await linesOf(await ask('POST', '/api/cas/gc', { graceMs: 0, dryRun: true }));
    expect(tried.at(-1)).toMatchObject({ type: 'result', dryRun: true, deletedEntries: 1 });
    expect(store.nodes.has(orphan)).toBe(true);
    const response = await ask('POST', '/api/cas/gc', { graceMs: 0 });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/x-ndjson');
    const lines = await linesOf(response);
    for (const line of lines) routes.collectGarbage.response.schema.parse(line);
    expect(lines.at(-1)).toMatchObject({
      type: 'result',
      scannedThreads: 2,
      activeRefs: 2,
      deletedEntries: 1,
    });
    expect(store.nodes.has(orphan)).toBe(false);
  });

  it('has an hour of grace unless told otherwise', async () => {
    const { ask, store } = await openTestApi();
    store.write('full', () => store.nodes.putText('orphan'));
    const lines = await linesOf(await ask('POST', '/api/cas/gc'));
    expect(lines.at(-1)).toMatchObject({ deletedEntries: 0, graceEntries: 1 });
  });

  it('is done one at a time, and stops when the client leaves', async () => {
    const { ask, store } = await openTestApi();
    store.write('full', () => {
      for (let i = 0; i < 3_000; i += 1) store.nodes.putText(`orphan ${i}`);
    });
    const first = await ask('POST', '/api/cas/gc', { graceMs: 0 });
    for (const path of ['/api/cas/gc', '/api/cas/verify']) {
      const second = await ask('POST', path);
      expect(second.status).toBe(409);
      expect(await second.json()).toMatchObject({ code: 'in-use' });
    }
    await first.body!.cancel();
    // Once it has stopped the next one may go.
    const deadline = performance.now() + 10_000;
    let next = await ask('POST', '/api/cas/gc', { graceMs: 0 });
    while (next.status === 409 && performance.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, 10));
      next = await ask('POST', '/api/cas/gc', { graceMs: 0 });
    }
    expect((await linesOf(next)).at(-1)).toMatchObject({ type: 'result' });
    expect(store.nodes.list({ limit: 1 })).toEqual([]);
  });
});

describe('a damaged entry', () => {
  it('is found, and only what needs it cannot be shown', async () => {
    const { ask, store, root } = await openTestApi();
    const id = addThread(store);
    const row = claim(store);
    for (const seq of [1, 2, 3]) {
      startStep(store, row, seq);
      commitStep(store, row, seq, `text ${seq}`);
    }
    endThread(store, row);
    const content = store.write('normal', () => store.nodes.putText('text 2'));
    const state = store.steps.list(id)[2]!.hash!;
    const db = new Database(join(root, 'store.db'));
    db.prepare(
      "UPDATE node SET bytes=substr(bytes, 1, 10) WHERE bytes=? OR (type='state' AND instr(bytes, ?))",
    ).run(Buffer.from(store.nodes.getBytes(content)!), Buffer.from('nothing'));
    db.prepare('UPDATE node SET bytes=? WHERE bytes=?').run(
      Buffer.alloc(0),
      Buffer.from(store.nodes.getBytes(state)!),
    );
    db.close();

    const listed = await ask('GET', `/api/threads/${id}/steps`);
    expect(listed.status).toBe(200);
    const { items } = (await listed.json()) as { items: Record<string, unknown>[] };
    const damaged = { code: 'store-damaged', message: expect.stringContaining(content) };
    expect(items).toMatchObject([
      { seq: 1, content: 'text 1', contentProblem: null },
      { seq: 2, content: null, contentHash: content, contentProblem: damaged },
      { seq: 3, content: null, meta: null, contentProblem: { code: 'store-damaged' } },
    ]);
    expect((await ask('GET', `/api/threads/${id}`)).status).toBe(200);
    expect((await ask('GET', `/api/steps/${state}`)).status).toBe(200);
    const read = await ask('GET', `/api/cas/${content}`);
    expect(read.status).toBe(500);
    expect(await read.json()).toMatchObject({ code: 'store-damaged' });

    const lines = await linesOf(await ask('POST', '/api/cas/verify'));
    for (const line of lines) routes.verifyCas.response.schema.parse(line);
    expect(lines.at(-1)).toMatchObject({ type: 'result', damagedCount: 2, quarantined: 2 });
    const named = (lines.at(-1) as { damaged: { hash: string; threads: string[] }[] }).damaged;
    expect(named.map(({ hash }) => hash).sort()).toEqual([content, state].sort());
    for (const { threads } of named) expect(threads).toEqual([id]);
  });
});
