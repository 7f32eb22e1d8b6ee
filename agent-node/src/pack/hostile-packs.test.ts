import { canonicalBytes, createNode } from '@uncaged/protocol/cas';
import { createThreadId, type Hasher, loadHasher } from '@uncaged/protocol/ids';
import { isProblem, Problem } from '@uncaged/protocol/problem';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Store } from '../store/index.js';
import { temporaryStore } from '../store/test-store.js';
import { importPack, readPack, verifyPack } from './index.js';
import { PACK_LIMITS } from './limits.js';
import {
  end,
  nodeRecord,
  packFrom,
  packOf,
  piecesOf,
  type Record,
  recordsOf,
  threadWith,
} from './test-packs.js';

let pack: Buffer;
let source: Store;
let hasher: Hasher;

/** A pack of one thread with two steps, some 3 kB. */
async function makePack(): Promise<Buffer> {
  source = await temporaryStore();
  const thread = threadWith(source, ['one', 'two']);
  end(source, thread);
  return packOf(source, thread.id);
}

const codeOf = (bytes: Uint8Array, size?: number): Promise<string> =>
  verifyPack(piecesOf(bytes, size)).then(
    () => 'good',
    (error: { code?: string }) => error.code ?? String(error),
  );

/** Nothing of it is to be seen. */
async function expectRefused(bytes: Uint8Array, why: RegExp | string): Promise<void> {
  const refused = { code: 'invalid-pack', message: expect.stringMatching(why) };
  await expect(verifyPack(piecesOf(bytes))).rejects.toMatchObject(refused);
  const to = await temporaryStore();
  await expect(importPack(to, piecesOf(bytes))).rejects.toMatchObject(refused);
  expect(to.threads.list({ limit: 10 })).toEqual([]);
  expect(to.events.lastSeq()).toBe(0);
}

/** The pack with one record of this kind (the n-th) changed. */
function changed(kind: string, change: (json: never) => unknown, n = 0): Buffer {
  let seen = 0;
  const records = recordsOf(pack).map(([one, payload]): Record => {
    if (one !== kind || seen++ !== n) return [one, payload];
    return [one, Buffer.from(JSON.stringify(change(JSON.parse(payload.toString()) as never)))];
  });
  return packFrom(records);
}

const withRow = (fields: object) => changed('T', (row: object) => ({ ...row, ...fields }));
const withStep = (at: number, fields: object) =>
  changed('S', (rows: object[]) => rows.map((row, i) => (i === at ? { ...row, ...fields } : row)));

describe('a pack that is not as it was', () => {
  beforeAll(async () => {
    hasher = await loadHasher();
  });

  it('is refused with any bit turned over', async () => {
    pack = await makePack();
    expect(await codeOf(pack)).toBe('good');
    for (let at = 0; at < pack.length; at += 1) {
      const bad = Buffer.from(pack);
      bad[at] = bad[at]! ^ (1 << (at % 8));
      expect([at, await codeOf(bad)]).toEqual([at, 'invalid-pack']);
    }
  });

  it('is refused wherever it ends too early, and with anything behind it', async () => {
    pack = await makePack();
    for (let length = 0; length < pack.length; length += 1)
      expect([length, await codeOf(pack.subarray(0, length))]).toEqual([length, 'invalid-pack']);
    await expectRefused(Buffer.concat([pack, Buffer.from('x')]), /something follows its end/);
    await expectRefused(Buffer.concat([pack, pack]), /something follows its end/);
    await expectRefused(pack.subarray(0, pack.length - 40), /ends in the middle|not in its place/);
  });

  it('is refused whatever bytes it is made of, never with a fault of the program', async () => {
    pack = await makePack();
    await fc.assert(
      fc.asyncProperty(
        fc.nat(pack.length),
        fc.nat(200),
        fc.uint8Array({ maxLength: 60 }),
        async (at, cut, bytes) => {
          const mixed = Buffer.concat([pack.subarray(0, at), bytes, pack.subarray(at + cut)]);
          if (mixed.equals(pack)) return;
          expect(await codeOf(mixed, 50)).toBe('invalid-pack');
        },
      ),
      { numRuns: 300 },
    );
  });

  it('may come in pieces of any size', async () => {
    pack = await makePack();
    for (const size of [1, 2, 3, 7, 64, 4096, pack.length])
      expect(await codeOf(pack, size)).toBe('good');
  });
});

describe('a pack that somebody made on purpose', () => {
  beforeAll(async () => {
    hasher = await loadHasher();
  });

  it('is checked in every record, though its sums fit', async () => {
    pack = await makePack();
    expect(await codeOf(packFrom(recordsOf(pack)))).toBe('good');
    const other = createThreadId(1);
    const cases: [Buffer, RegExp][] = [
      [withRow({ id: '../../etc/passwd' }), /the row of a thread .*at id/],
      [withRow({ workflow: '../x' }), /at workflow/],
      [withRow({ version: 'not a hash' }), /at version/],
      [withRow({ kind: 'program' }), /at kind/],
      [withRow({ status: 'sleeping' }), /at status/],
      [withRow({ secret: 1 }), /the row of a thread/],
      [withRow({ id: other }), /first thread is not/],
      [withRow({ steps: 3 }), /its rows tell of/],
      [withRow({ steps: 1 }), /has a step 2/],
      [withRow({ status: 'completed', returnCode: 1 }), /ended with 1/],
      [withRow({ status: 'running' }), /does not go with its return code/],
      [withRow({ returnCode: null }), /ended with null/],
      [withRow({ head: '0000000000000' }), /is no state/],
      [withRow({ start: '0000000000000' }), /start .* is missing/],
      [withRow({ version: '0000000000000' }), /definition .* is missing/],
      [withRow({ kind: 'bundle' }), /file of bundle .* is missing/],
      [withRow({ usd: -1 }), /at usd/],
      [withStep(0, { role: 'other' }), /does not say what its state says/],
      [withStep(0, { childThread: other }), /does not say what its state says/],
      [withStep(0, { role: '../x' }), /at 0.role/],
      [withStep(0, { attempt: 0 }), /at 0.attempt/],
      [withStep(0, { status: 'failed' }), /does not go with its state/],
      [withStep(1, { seq: 1 }), /not in its place/],
      [changed('S', (rows: object[]) => [...rows].reverse()), /not in its place/],
      [changed('S', (rows: object[]) => rows.slice(1)), /its rows tell of 1/],
      [changed('H', (header: object) => ({ ...header, root: '/' })), /the header/],
      [changed('H', (header: object) => ({ ...header, more: true })), /the header/],
    ];
    for (const [bytes, why] of cases) await expectRefused(bytes, why);
  });

  it('cannot hide, double or add nodes', async () => {
    pack = await makePack();
    const records = recordsOf(pack);
    const nodes = records.filter(([kind]) => kind === 'N');
    for (const node of nodes) {
      const without = packFrom(records.filter((record) => record !== node));
      expect(await codeOf(without)).toBe('invalid-pack');
    }
    const last = records.at(-1)!;
    await expectRefused(packFrom([...records, last]), /comes twice/);
    const backwards = [...records.filter(([kind]) => kind !== 'N'), ...[...nodes].reverse()];
    await expectRefused(packFrom(backwards), /does not come before it/);
    const wrong = Buffer.from(last[1]);
    wrong[0] = wrong[0]! ^ 1;
    await expectRefused(packFrom([...records.slice(0, -1), ['N', wrong]]), /another hash/);
    const bundle = Buffer.from('export const run = 1;');
    const file: Record = ['B', Buffer.concat([hasher(bundle), bundle])];
    const at = records.indexOf(nodes[0]!);
    await expectRefused(
      packFrom([...records.slice(0, at), file, ...records.slice(at)]),
      /no thread needs the file/,
    );
  });

  it('has the SHA-256 of each node, no fewer, no more, no other', async () => {
    pack = await makePack();
    const records = recordsOf(pack);
    const turned = (digests: Buffer) => {
      digests[digests.length - 1] = digests.at(-1)! ^ 1;
      return digests;
    };
    await expectRefused(packFrom(records, turned), /not those that were packed/);
    await expectRefused(
      packFrom(records, (all) => all.subarray(40)),
      /not those that were packed/,
    );
    await expectRefused(
      packFrom(records, (all) => all.subarray(0, -40)),
      /1 SHA-256 are missing/,
    );
    await expectRefused(
      packFrom(records, (all) => all.subarray(0, -1)),
      /of more than it holds/,
    );
    const more = (all: Buffer) => Buffer.concat([all, Buffer.alloc(40)]);
    await expectRefused(packFrom(records, more), /of more than it holds/);
  });

  it('cannot bring nodes that are none', async () => {
    pack = await makePack();
    const records = recordsOf(pack);
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    const text = (value: unknown) => ({ payload: { text: value }, refs: [], type: 'content' });
    const cases: [unknown, RegExp][] = [
      ['', /is not JSON/],
      ['{"type":', /is not JSON/],
      ['null', /cannot be used/],
      [deep, /deeper|cannot be used/],
      [{ type: 'content', payload: { text: 'x' }, refs: [] }, /canonical/],
      [{ ...text('x'), extra: 1 }, /cannot be used/],
      [text(1), /payload.text/],
      [{ payload: { text: 'x' }, refs: ['0000000000000'], type: 'content' }, /cannot be used/],
      [{ payload: {}, refs: [], type: 'constructor' }, /type must be one of/],
      [
        { payload: { parts: ['0000000000000'], size: 1 }, refs: ['0000000000000'], type: 'parts' },
        /does not come before it/,
      ],
    ];
    for (const [json, why] of cases)
      await expectRefused(packFrom([...records, nodeRecord(hasher, json)]), why);
    const notText: Record = ['N', Buffer.concat([hasher(Buffer.from([255])), Buffer.from([255])])];
    await expectRefused(packFrom([...records, notText]), /is not JSON/);
  });

  it('cannot give a state ancestors that are not its parent’s', async () => {
    pack = await makePack();
    const records = recordsOf(pack);
    const parsed = records
      .filter(([kind]) => kind === 'N')
      .map(([, payload]) => JSON.parse(payload.subarray(8).toString()));
    const state = parsed.findLast((node) => node.type === 'state');
    const [parent] = state.payload.ancestors;
    const forged = createNode('state', { ...state.payload, ancestors: [parent] });
    const bytes = Buffer.from(canonicalBytes(forged));
    await expectRefused(packFrom([...records, nodeRecord(hasher, bytes.toString())]), /ancestors/);
  });

  it('cannot ask for more than it may: lengths, counts, versions, orders of records', async () => {
    pack = await makePack();
    const records = recordsOf(pack);
    const head = pack.indexOf('\n') + 1;
    const huge = Buffer.from(pack);
    huge.writeUInt32BE(0xffffffff, head + 1);
    await expectRefused(huge, /has 4294967295 bytes/);
    const newer = Buffer.concat([Buffer.from('uwfpack 2\n'), pack.subarray(head)]);
    await expectRefused(newer, /version 2, this program reads version 1/);
    await expectRefused(
      Buffer.from('PK\u0003\u0004 something else entirely, on and on'),
      /no pack/,
    );
    await expectRefused(Buffer.alloc(100_000), /no pack/);
    await expectRefused(packFrom(records.slice(1)), /not in its place/);
    await expectRefused(packFrom([records[0]!, ...records]), /not in its place/);
    await expectRefused(packFrom(records.filter(([kind]) => kind !== 'T')), /not in its place/);
    const rows = records.find(([kind]) => kind === 'T')!;
    await expectRefused(packFrom([records[0]!, rows, ...records.slice(1)]), /comes twice/);
    const stranger = JSON.parse(rows[1].toString());
    stranger.id = createThreadId(2);
    const added: Record = ['T', Buffer.from(JSON.stringify(stranger))];
    await expectRefused(
      packFrom([records[0]!, rows, added, ...records.slice(2)]),
      /belongs to no other/,
    );
    const small = { ...PACK_LIMITS, nodesMax: 3 };
    const read = async () => {
      for await (const item of readPack(piecesOf(pack), small)) expect(item).toBeDefined();
    };
    await expect(read()).rejects.toThrow(/more than 3 nodes/);
  });

  it('says at which byte, and does not quote what it holds', async () => {
    pack = await makePack();
    const bad = Buffer.from(pack);
    const at = pack.indexOf('"text":"two"');
    bad.write('"text":"tWo"', at);
    const start = at - '{"payload":{'.length - 8 - 5;
    await expectRefused(bad, new RegExp(`node [0-9A-Z]{13} is damaged.*\\(at byte ${start}\\)`));
  });
});

describe('an import that is broken off', () => {
  it('leaves nothing to be seen: the source fails, somebody gives up, there is no room', async () => {
    pack = await makePack();
    const to = await temporaryStore();
    async function* breaking() {
      yield* piecesOf(pack.subarray(0, pack.length - 200));
      throw new Error('connection reset');
    }
    await expect(importPack(to, breaking())).rejects.toMatchObject({
      code: 'invalid-pack',
      message: expect.stringMatching(/connection reset.*at byte/),
    });
    const given = new AbortController();
    given.abort();
    await expect(importPack(to, piecesOf(pack), { signal: given.signal })).rejects.toMatchObject({
      code: 'cancelled',
    });
    expect(to.threads.list({ limit: 1 })).toEqual([]);
    await importPack(to, piecesOf(pack));
    expect(to.threads.list({ limit: 1 })).toHaveLength(1);
  });

  it('leaves nothing to be seen when the disk is full, whenever that is, and goes in once there is room', async () => {
    pack = await makePack();
    for (let room = 0; ; room += 1) {
      const to = await temporaryStore();
      let left = room;
      const full = importPack(to, piecesOf(pack), {
        whenFree: async (work) => {
          if (left-- <= 0) throw new Problem('disk-full', 'disk full: store.db');
          return work();
        },
      });
      const result = await full.catch((error: unknown) => error);
      if (!isProblem(result, 'disk-full')) {
        expect([room, result]).toMatchObject([2, { newNodes: expect.any(Number) }]);
        return;
      }
      expect(to.threads.list({ limit: 1 })).toEqual([]);
      await importPack(to, piecesOf(pack));
    }
  });

  it('calls off what was not read', async () => {
    pack = await makePack();
    let closed = false;
    async function* source() {
      try {
        yield Buffer.from('no pack at all\n');
        yield* piecesOf(pack);
      } finally {
        closed = true;
      }
    }
    await expect(verifyPack(source())).rejects.toMatchObject({ code: 'invalid-pack' });
    expect(closed).toBe(true);
  });

  it('is told to try again when what has come was collected meanwhile', async () => {
    pack = await makePack();
    const to = await temporaryStore();
    const collecting = importPack(to, piecesOf(pack), {
      whenFree: async (work) => {
        const result = work();
        // Nothing needs the newest node yet.
        for (const { hash } of to.nodes.list({ limit: 200 }))
          if (to.nodes.referrers(hash, { limit: 1 }).length === 0)
            try {
              to.write('full', () => to.nodes.remove(hash, []));
            } catch (error) {
              expect(error).toMatchObject({ code: 'in-use' });
            }
        return result;
      },
    });
    await expect(collecting).rejects.toMatchObject({ code: 'store-busy', retryable: true });
    expect(to.threads.list({ limit: 1 })).toEqual([]);
  });
});
