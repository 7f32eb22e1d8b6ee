import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { routes } from '@uncaged/protocol/api';
import { createThreadId } from '@uncaged/protocol/ids';
import { describe, expect, it } from 'vitest';
import { builtinDefinition } from '../registry/index.js';
import type { Store, ThreadRow } from '../store/index.js';
import {
  addThread,
  claim,
  commitStep,
  endThread,
  openTestApi,
  pretendWorker,
  startStep,
} from './test-api.js';

/** A finished thread of a real definition with so many steps, in a directory that the node made. */
async function apiWithSource(steps = 2) {
  const test = await openTestApi();
  pretendWorker(test.store);
  const id = await startDemo(test);
  const source = claim(test.store);
  for (let seq = 1; seq <= steps; seq++) {
    startStep(test.store, source, seq);
    commitStep(test.store, source, seq, `said ${seq}`);
  }
  endThread(test.store, source);
  const fork = async (body?: unknown, key?: string, of = id) => {
    const headers = key === undefined ? {} : { 'idempotency-key': key };
    const response = await test.ask('POST', `/api/threads/${of}/fork`, body, headers);
    const json = (await response.json()) as { threadId: string; code: string; detail: string };
    return { status: response.status, ...json };
  };
  return { ...test, id, source, fork };
}

async function startDemo({ ask }: Awaited<ReturnType<typeof openTestApi>>): Promise<string> {
  const response = await ask('POST', '/api/threads', { workflow: 'demo', prompt: 'look' });
  return ((await response.json()) as { threadId: string }).threadId;
}

const lineageOf = async (
  { ask }: Pick<Awaited<ReturnType<typeof openTestApi>>, 'ask'>,
  id: string,
) =>
  routes.getLineage.response.schema.parse(
    await (await ask('GET', `/api/threads/${id}/lineage`)).json(),
  );
const placesOf = (found: Awaited<ReturnType<typeof lineageOf>>) =>
  found.items.map(({ threadId, relation, of, atSeq }) => [threadId, relation, of, atSeq]);

/** A row that hangs from another one, without steps. */
function addRelative(store: Store, fields: Partial<ThreadRow>): string {
  const row = store.threads.get(addThread(store))!;
  const id = createThreadId(Date.now());
  store.write('full', () => store.threads.create({ ...row, ...fields, id, createdAt: Date.now() }));
  return id;
}

describe('forking a thread', () => {
  it('gives a queued thread that leaves the source alone', async () => {
    const { store, fork, id } = await apiWithSource();
    const before = store.threads.get(id);
    const { status, threadId } = await fork();
    expect(status).toBe(201);
    expect(store.threads.get(threadId)).toMatchObject({
      status: 'queued',
      forkedFrom: id,
      forkedSeq: 1,
      start: before?.start,
      workspace: before?.workspace,
    });
    expect(store.threads.get(id)).toEqual(before);
    const given = await fork({ fromStep: 2, maxSteps: 9, prompt: 'more' });
    expect(store.threads.get(given.threadId)).toMatchObject({
      forkedSeq: 2,
      options: { maxSteps: 9 },
    });
  });

  it('happens once for a key, and for no other request', async () => {
    const { store, fork, ask, id } = await apiWithSource();
    const made = await Promise.all([1, 2, 3].map(() => fork({ fromStep: 1 }, 'k1')));
    expect(new Set(made.map(({ threadId }) => threadId)).size).toBe(1);
    expect(store.threads.list({ limit: 9 })).toHaveLength(2);
    expect(await fork({ fromStep: 0 }, 'k1')).toMatchObject({
      status: 409,
      code: 'idempotency-conflict',
    });
    const body = { workflow: 'demo' };
    const started = await ask('POST', '/api/threads', body, { 'idempotency-key': 'k1' });
    expect(started.status).toBe(409);
    // Also when the source is gone by then.
    store.write('full', () => store.threads.remove(id));
    expect(await fork({ fromStep: 1 }, 'k1')).toMatchObject({ threadId: made[0]!.threadId });
    expect((await fork({ fromStep: 1 }, 'k2')).status).toBe(404);
  });

  it.each([
    [{ fromStep: 3 }, 400, 'a fork keeps 0 to 2 of them'],
    [{ fromStep: -1 }, 400, ''],
    [{ fromRole: 'nobody' }, 400, 'its roles are worker'],
    [{ fromRole: 'worker', fromStep: 1 }, 400, 'not both'],
    [{ agents: { nobody: 'claude' } }, 400, 'no role nobody'],
    [{ workflow: 'no-such' }, 404, ''],
    [{ workflow: '0000000000000' }, 404, '0000000000000'],
    [{ from: 1 }, 400, ''],
  ])('of %j is refused with %i, and nothing is stored', async (body, status, says) => {
    const { store, fork } = await apiWithSource();
    const refused = await fork(body);
    expect(refused.status).toBe(status);
    expect(refused.detail).toContain(says);
    expect(store.threads.list({ limit: 9 })).toHaveLength(1);
  });

  it('takes a task of 1 MiB and no more', async () => {
    const { fork } = await apiWithSource();
    expect((await fork({ prompt: 'x'.repeat(1024 * 1024) })).status).toBe(201);
    expect((await fork({ prompt: 'x'.repeat(1024 * 1024 + 1) })).status).toBe(413);
  });

  it('does nothing new in a directory that the API may not choose', async () => {
    const { store, root, fork } = await apiWithSource();
    const definition = builtinDefinition('demo')!.definition;
    const workspace = join(root, 'mine');
    mkdirSync(workspace);
    const version = store.write('full', () => store.nodes.put('definition', definition));
    const id = addRelative(store, { workspace, version });
    const other = store.write('full', () =>
      store.nodes.put('definition', { ...definition, description: 'as it was before' }),
    );
    const older = addRelative(store, { workspace, version: other });
    const [role = ''] = Object.keys(definition.roles);
    for (const [body, of] of [
      [{ prompt: 'other' }, id],
      [{ workflow: 'demo' }, older],
      [{ agents: { [role]: 'helper' } }, id],
    ] as const) {
      const refused = await fork(body, undefined, of);
      expect(refused).toMatchObject({ status: 422, code: 'invalid-workspace' });
      expect(refused.detail).toContain('of which there are none');
      expect(refused.detail).toContain(`\`uwf thread fork ${of}\``);
    }
    expect((await fork({}, undefined, id)).status).toBe(201);
    // Named, but no other one.
    expect((await fork({ workflow: 'demo' }, undefined, id)).status).toBe(201);
    writeFileSync(join(root, 'workflow.yaml'), `config:\n  workspaceRoots: [${root}/yours]\n`);
    expect((await fork({ prompt: 'other' }, undefined, id)).detail).toContain(
      `which are ${root}/yours`,
    );
    writeFileSync(join(root, 'workflow.yaml'), `config:\n  workspaceRoots: [${root}/mine]\n`);
    expect((await fork({ prompt: 'other' }, undefined, id)).status).toBe(201);
  });
});

describe('the lineage of a thread', () => {
  it('is the tree from the first thread on, each after the one it hangs from', async () => {
    const test = await apiWithSource();
    const { store, fork, id } = test;
    const first = (await fork({ fromStep: 1 })).threadId;
    const second = (await fork({ fromStep: 2 })).threadId;
    const child = addRelative(store, { parent: id, parentSeq: 2, forkedFrom: null, depth: 1 });
    const ofFirst = (await fork({ fromStep: 0 }, undefined, first)).threadId;
    const tree = [
      [id, 'root', null, null],
      [first, 'fork', id, 1],
      [ofFirst, 'fork', first, 0],
      [second, 'fork', id, 2],
      [child, 'child', id, 2],
    ];
    for (const asked of [id, ofFirst, child]) {
      const found = await lineageOf(test, asked);
      expect(placesOf(found)).toEqual(tree);
      expect(found).toMatchObject({ threadId: asked, isCut: false });
    }
  });

  it('holds together when a source was removed', async () => {
    const test = await apiWithSource();
    const { store, fork, id } = test;
    const first = (await fork({ fromStep: 1 })).threadId;
    const second = (await fork({ fromStep: 2 })).threadId;
    store.write('full', () => store.threads.remove(id));
    const tree = [
      [first, 'fork', null, 1],
      [second, 'fork', null, 2],
    ];
    expect(placesOf(await lineageOf(test, first))).toEqual(tree);
    expect(placesOf(await lineageOf(test, second))).toEqual(tree);
  });

  it('is cut at 500, and still has the asked thread and its way up', async () => {
    const test = await openTestApi();
    const { store } = test;
    const top = addThread(store);
    for (let count = 0; count < 600; count++) addRelative(store, { forkedFrom: top, forkedSeq: 0 });
    let id = top;
    for (let count = 0; count < 5; count++)
      id = addRelative(store, { forkedFrom: id, forkedSeq: 0 });
    const found = await lineageOf(test, id);
    expect(found.isCut).toBe(true);
    expect(found.items).toHaveLength(500);
    expect(found.items[0]?.threadId).toBe(top);
    const seen = new Set<string>();
    for (const { threadId, of } of found.items) {
      if (of !== null) expect(seen.has(of)).toBe(true);
      seen.add(threadId);
    }
    expect(seen.has(id)).toBe(true);
  });

  it('comes to an end where threads claim to come from each other', async () => {
    const test = await openTestApi();
    const { store } = test;
    const [a, b] = [createThreadId(1), createThreadId(2)];
    const row = store.threads.get(addThread(store))!;
    store.write('full', () => {
      store.threads.create({ ...row, id: a, forkedFrom: b, forkedSeq: 0 });
      store.threads.create({ ...row, id: b, forkedFrom: a, forkedSeq: 0 });
    });
    expect((await lineageOf(test, a)).items.map(({ threadId }) => threadId)).toEqual([b, a]);
    const self = createThreadId(3);
    store.write('full', () => store.threads.create({ ...row, id: self, forkedFrom: self }));
    expect((await lineageOf(test, self)).items).toHaveLength(1);
  });
});

describe('the difference of two threads', () => {
  const diffOf = async (
    { ask }: Pick<Awaited<ReturnType<typeof openTestApi>>, 'ask'>,
    a: string,
    b: string,
  ) =>
    routes.diffThreads.response.schema.parse(
      await (await ask('GET', `/api/threads/${a}/diff/${b}`)).json(),
    );

  /** Runs the oldest queued thread: one step for each text. */
  function run(store: Store, texts: string[]): ThreadRow {
    const row = claim(store);
    texts.forEach((text, at) => {
      startStep(store, row, row.steps + at + 1);
      commitStep(store, row, row.steps + at + 1, text);
    });
    endThread(store, row);
    return row;
  }

  it('begins at the first step that they do not share', async () => {
    const test = await apiWithSource(3);
    const { store, fork, id } = test;
    const { threadId } = await fork({ fromStep: 1 });
    run(store, ['something else', 'said 3', 'and more']);
    const found = await diffOf(test, id, threadId);
    expect(found).toMatchObject({
      sharedSteps: 1,
      isCut: false,
      a: { threadId: id },
      b: { threadId },
      totals: { a: { steps: 2 }, b: { steps: 3 } },
    });
    expect(
      found.steps.map(({ seq, a, b, isContentEqual }) => [
        seq,
        a?.content,
        b?.content,
        isContentEqual,
      ]),
    ).toEqual([
      [2, 'said 2', 'something else', false],
      [3, 'said 3', 'said 3', true],
      [4, undefined, 'and more', false],
    ]);
    expect(found.steps.map(({ isMetaEqual }) => isMetaEqual)).toEqual([true, true, false]);
  });

  it('is nothing for a thread and itself, and all of it for two strangers', async () => {
    const test = await apiWithSource(2);
    const { store, id } = test;
    expect(await diffOf(test, id, id)).toMatchObject({ sharedSteps: 2, steps: [] });
    addThread(store, 'something else');
    const other = run(store, ['said 1']);
    expect(await diffOf(test, id, other.id)).toMatchObject({
      sharedSteps: 0,
      totals: { b: { steps: 1 } },
    });
    const empty = addThread(store);
    expect(await diffOf(test, empty, empty)).toMatchObject({ sharedSteps: 0, steps: [] });
  });

  it('of long threads has the first 200 steps, and the sums of all', async () => {
    const test = await openTestApi();
    const { store } = test;
    const [a, b] = [300, 260].map((count) => {
      addThread(store);
      return run(
        store,
        Array.from({ length: count }, (_, at) => `said ${at} of ${count}`),
      );
    });
    const found = await diffOf(test, a!.id, b!.id);
    expect(found.steps).toHaveLength(200);
    expect(found).toMatchObject({
      sharedSteps: 0,
      isCut: true,
      totals: { a: { steps: 300 }, b: { steps: 260 } },
    });
  });
});
