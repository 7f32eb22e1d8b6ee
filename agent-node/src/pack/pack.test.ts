import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseNode } from '@uncaged/protocol/cas';
import { createThreadId, encodeHash, loadHasher } from '@uncaged/protocol/ids';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import type { Store } from '../store/index.js';
import { startStep, temporaryStore } from '../store/test-store.js';
import { importPack, readPack, verifyPack, writePack } from './index.js';
import { addStep, end, packOf, piecesOf, threadWith } from './test-packs.js';

/** What a thread is, apart from what belongs to the machine it runs on. */
function seen(store: Store, id: string) {
  const { imported: _i, fence: _f, ...row } = store.threads.get(id)!;
  const steps = store.steps.list(id).map(({ pgid: _p, processStart: _s, ...step }) => step);
  return { row, steps };
}

const idsOf = (store: Store) => store.threads.list({ limit: 200 }).map(({ id }) => id);

describe('a pack', () => {
  it('carries a thread to another store: rows, nodes and long texts, byte for byte', async () => {
    const from = await temporaryStore();
    const to = await temporaryStore();
    const long = 'Grüße '.repeat(400_000);
    const thread = threadWith(from, ['one', long, 'three\u0000\u001b[31m']);
    end(from, thread);
    const pack = await packOf(from, thread.id);
    const imported = await importPack(to, piecesOf(pack, 70_001));
    expect(imported).toMatchObject({ threadId: thread.id, wasHere: false });
    expect(imported.newNodes).toBe(imported.nodes);
    expect(seen(to, thread.id)).toEqual(seen(from, thread.id));
    expect(to.threads.get(thread.id)).toMatchObject({ imported: true, status: 'completed' });
    for (const { hash } of to.nodes.list({ limit: 200 }))
      expect(Buffer.compare(to.nodes.getBytes(hash)!, from.nodes.getBytes(hash)!)).toBe(0);
    const state = to.nodes.get(to.steps.list(thread.id)[1]!.hash!);
    expect(state?.type === 'state' && to.nodes.readText(state.payload.content!) === long).toBe(
      true,
    );
  });

  it('is the same for the same thread, is checked without a store, and its report names it', async () => {
    const store = await temporaryStore();
    const thread = threadWith(store, ['one', 'two']);
    end(store, thread);
    const pack = await packOf(store, thread.id);
    expect(await packOf(store, thread.id)).toEqual(pack);
    const report = await verifyPack(piecesOf(pack, 1));
    expect(report).toMatchObject({ threadId: thread.id, threads: 1, steps: 2 });
    expect(report.bytes).toBe(pack.length);
    expect(report.sha256).toMatch(/^[0-9a-f]{64}$/);
  });

  it('changes nothing the second time; of another moment it is refused, and so is where the thread lives', async () => {
    const from = await temporaryStore();
    const to = await temporaryStore();
    const thread = threadWith(from, ['one']);
    const early = await packOf(from, thread.id);
    addStep(from, thread, 2, 'two');
    const late = await packOf(from, thread.id);
    await importPack(to, piecesOf(early));
    const events = to.events.lastSeq();
    const again = await importPack(to, piecesOf(early));
    expect(again).toMatchObject({ wasHere: true, newNodes: 0 });
    expect(to.events.lastSeq()).toBe(events);
    await expect(importPack(to, piecesOf(late))).rejects.toMatchObject({ code: 'in-use' });
    await expect(importPack(from, piecesOf(late))).rejects.toMatchObject({ code: 'in-use' });
    to.write('full', () => to.threads.remove(thread.id));
    await importPack(to, piecesOf(late));
    expect(to.threads.get(thread.id)?.steps).toBe(2);
  });

  it('of a running thread holds what is committed; there it is interrupted, and nobody can run it', async () => {
    const from = await temporaryStore();
    const to = await temporaryStore();
    const thread = threadWith(from, ['one']);
    startStep(from, thread, 2);
    await importPack(to, piecesOf(await packOf(from, thread.id)));
    expect(to.threads.get(thread.id)).toMatchObject({ status: 'interrupted', steps: 1 });
    expect(to.steps.list(thread.id).map(({ status }) => status)).toEqual([
      'committed',
      'interrupted',
    ]);
    const refused = expect.objectContaining({
      code: 'thread-state',
      message: expect.stringContaining('fork it'),
    });
    const tries = [
      () => to.threads.requeue(thread.id, { retry: true }),
      () => to.threads.setDesired(thread.id, 'kill'),
      () =>
        to.threads.cancelIdle(thread.id, {
          ...{ returnCode: 130, summary: '', ownSummary: null, startedAt: 1, timestamp: 1 },
        }),
    ];
    for (const attempt of tries) expect(() => to.write('full', attempt)).toThrow(refused);
    expect(from.threads.get(thread.id)?.status).toBe('running');
  });

  it('is of one moment, however the thread goes on while it is written', async () => {
    const from = await temporaryStore();
    const to = await temporaryStore();
    const thread = threadWith(from, ['one', 'two']);
    startStep(from, thread, 3);
    const chunks: Uint8Array[] = [];
    const pack = writePack(from, thread.id);
    // The snapshot is taken when the first bytes are asked for.
    const first = pack.next();
    from.write('full', () =>
      from.steps.fail({
        ...{ thread: thread.id, seq: 3, attempt: 1, fence: thread.fence, status: 'failed' },
        problem: { code: 'timeout', message: 'late' },
        endedAt: 20,
      }),
    );
    chunks.push((await first).value!);
    for await (const chunk of pack) chunks.push(chunk);
    await importPack(to, piecesOf(Buffer.concat(chunks)));
    expect(to.threads.get(thread.id)?.steps).toBe(2);
  });

  it('takes nested threads along, and those nested in them; one that is here stays as it is', async () => {
    const from = await temporaryStore();
    const to = await temporaryStore();
    const [child, grandchild] = [createThreadId(Date.now()), createThreadId(Date.now())];
    const inner = threadWith(from, ['inner'], { id: grandchild, parent: child, parentSeq: 1 });
    end(from, inner);
    const middle = threadWith(from, [], { id: child, depth: 1 });
    addStep(from, middle, 1, 'middle', grandchild);
    end(from, middle);
    const outer = threadWith(from, []);
    addStep(from, outer, 1, 'outer', child);
    addStep(from, outer, 2, 'gone', createThreadId(Date.now()));
    end(from, outer);
    const pack = await packOf(from, outer.id);
    expect(await verifyPack(piecesOf(pack))).toMatchObject({ threads: 3, steps: 2 });
    await importPack(to, piecesOf(await packOf(from, grandchild)));
    await importPack(to, piecesOf(pack));
    expect(idsOf(to).sort()).toEqual([outer.id, child, grandchild].sort());
    expect(seen(to, child)).toEqual(seen(from, child));
  });

  it('is not written of a thread that has a damaged node, and is broken off when one is damaged on the way', async () => {
    const store = await temporaryStore();
    const thread = threadWith(store, ['one']);
    const db = new Database(join(store.root, 'store.db'));
    db.prepare(
      `UPDATE node SET bytes=CAST(replace(CAST(bytes AS TEXT), '"one"', '"two"') AS BLOB) WHERE type='content'`,
    ).run();
    db.close();
    await expect(packOf(store, thread.id)).rejects.toMatchObject({ code: 'store-damaged' });
    await expect(packOf(store, createThreadId(1))).rejects.toMatchObject({
      code: 'thread-not-found',
    });
  });

  it('carries the file of a bundle, and puts it over no other', async () => {
    const [from, to, other] = [
      await temporaryStore(),
      await temporaryStore(),
      await temporaryStore(),
    ];
    const code = Buffer.from('export const run = async function* () {};');
    const version = encodeHash((await loadHasher())(code));
    const file = (store: Store) => join(store.root, 'bundles', `${version}.esm.js`);
    const thread = threadWith(from, [], { kind: 'bundle', version });
    await expect(packOf(from, thread.id)).rejects.toMatchObject({ code: 'version-not-found' });
    for (const store of [from, other]) mkdirSync(join(store.root, 'bundles'));
    writeFileSync(file(from), code);
    writeFileSync(file(other), 'something else');
    const pack = await packOf(from, thread.id);
    await importPack(to, piecesOf(pack));
    expect(readFileSync(file(to)).equals(code)).toBe(true);
    expect(to.threads.get(thread.id)).toMatchObject({ kind: 'bundle', worker: version });
    await importPack(to, piecesOf(pack));
    await expect(importPack(other, piecesOf(pack))).rejects.toMatchObject({
      code: 'hash-collision',
    });
    expect(readFileSync(file(other), 'utf8')).toBe('something else');
    expect(readdirSync(join(other.root, 'bundles'))).toHaveLength(1);
    expect(idsOf(other)).toEqual([]);
    writeFileSync(file(from), 'changed');
    await expect(packOf(from, thread.id)).rejects.toMatchObject({ code: 'store-damaged' });
  });

  it('keeps what it refers to before what refers to it', async () => {
    const store = await temporaryStore();
    const texts = Array.from({ length: 30 }, (_, n) => `text ${n}`);
    const thread = threadWith(store, texts);
    end(store, thread);
    const before = new Set<string>();
    for await (const item of readPack(piecesOf(await packOf(store, thread.id)))) {
      if (item.type !== 'node') continue;
      for (const ref of parseNode(item.bytes).refs) expect(before.has(ref)).toBe(true);
      before.add(item.hash);
    }
    expect(before.size).toBeGreaterThan(60);
  });
});
