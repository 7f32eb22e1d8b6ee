import { createHash } from 'node:crypto';
import type { Hash, Hasher } from '@uncaged/protocol/ids';
import type { Store, ThreadRow } from '../store/index.js';
import {
  commitInput,
  type createThread,
  END_130,
  runningThread,
  startStep,
} from '../store/test-store.js';
import { createDigestList } from './digest-list.js';
import { HASH_BYTES, magicLine, RECORD_HEAD_BYTES, type RecordKind, recordHead } from './format.js';
import { writePack } from './write-pack.js';

/** What the tests of packs build on. */

/** A definition node, so that a thread's version is there. */
export function putDefinition(store: Store): Hash {
  return store.write('full', () =>
    store.nodes.put('definition', {
      name: 'demo',
      description: 'For tests',
      inputs: null,
      maxSteps: null,
      budget: null,
      roles: {},
      graph: {},
      moderator: null,
    }),
  );
}

/** A thread that runs and has so many steps with these texts. */
export function threadWith(
  store: Store,
  texts: readonly string[],
  fields: Parameters<typeof createThread>[1] = {},
): ThreadRow {
  const version = putDefinition(store);
  const row = runningThread(store, { version, ...fields });
  for (const [index, text] of texts.entries()) addStep(store, row, index + 1, text);
  return row;
}

export function addStep(
  store: Store,
  row: Pick<ThreadRow, 'id' | 'fence'>,
  seq: number,
  text: string,
  childThread: string | null = null,
): Hash {
  startStep(store, row as ThreadRow, seq);
  return store.write('full', () => {
    const input = commitInput(store, row, seq);
    const content = store.nodes.putText(text);
    return store.steps.commit({ ...input, state: { ...input.state, content, childThread } });
  });
}

export function end(store: Store, { id, fence }: ThreadRow, returnCode = 0): void {
  store.write('full', () =>
    store.threads.settle(id, fence, { status: 'ended', end: { ...END_130, returnCode } }),
  );
}

export async function packOf(store: Store, id: string): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of writePack(store, id)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** In pieces of so many bytes. */
export async function* piecesOf(
  bytes: Uint8Array,
  size = 1000,
): AsyncGenerator<Uint8Array, void, undefined> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** Kind and payload. */
export type Record = [string, Buffer];

/** What a pack is made of, without its last records. */
export function recordsOf(pack: Buffer): Record[] {
  const records: Record[] = [];
  for (let at = pack.indexOf('\n') + 1; at < pack.length; ) {
    const kind = pack.toString('latin1', at, at + 1);
    const length = pack.readUInt32BE(at + 1);
    const from = at + RECORD_HEAD_BYTES;
    if (kind !== 'D' && kind !== 'E') records.push([kind, pack.subarray(from, from + length)]);
    at = from + length;
  }
  return records;
}

/** A pack of these records, with a trailer that fits them: as by somebody who knows what is checked. */
export function packFrom(
  records: readonly Record[],
  change: (digests: Buffer) => Buffer = (digests) => digests,
): Buffer {
  const digests = createDigestList();
  for (const [kind, payload] of records)
    if (kind === 'N' || kind === 'B')
      digests.add(payload.subarray(0, HASH_BYTES), payload.subarray(HASH_BYTES));
  const all: Record[] = [...records, ['D', change(Buffer.from(digests.slice(0, digests.count())))]];
  const body = Buffer.concat([
    magicLine(),
    ...all.flatMap(([kind, payload]) => [recordHead(kind as RecordKind, payload.length), payload]),
  ]);
  const sha256 = createHash('sha256').update(body).digest();
  return Buffer.concat([body, recordHead('E', sha256.length), sha256]);
}

/** A node of a pack, whatever it says. */
export function nodeRecord(hasher: Hasher, json: unknown): Record {
  const bytes = Buffer.from(typeof json === 'string' ? json : JSON.stringify(json));
  return ['N', Buffer.concat([hasher(bytes), bytes])];
}
