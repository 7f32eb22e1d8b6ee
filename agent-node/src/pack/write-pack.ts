import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setImmediate as turn } from 'node:timers/promises';
import { encodeHash, type Hash, loadHasher, type ThreadId } from '@uncaged/protocol/ids';
import { Problem } from '@uncaged/protocol/problem';
import { VERSION } from '../executor/index.js';
import type { Store } from '../store/index.js';
import { bundleFile } from './bundle-file.js';
import { closureOf } from './closure.js';
import { createDigestList } from './digest-list.js';
import { magicLine, RECORD, type RecordKind, recordHead, SHA256_BYTES } from './format.js';
import { CHUNK_BYTES, DIGESTS_PER_RECORD, PACK_LIMITS, ROWS_RECORD_BYTES } from './limits.js';
import { type PackHeader, type PackStepRow, stepJson, threadJson } from './rows.js';
import { attemptPages, rootsOf, type Snapshot, takeSnapshot } from './snapshot.js';

/**
 * A thread with everything it is made of, and the threads nested in it, as the bytes of a pack: what is committed when it is
 * asked for, whether it runs or not. Some 64 KiB at a time and no faster than they are read; no transaction is open in between.
 * The same thread, unchanged, gives the same bytes. Throws thread-not-found, store-damaged and node-not-found (what is left
 * cannot be packed), too-large.
 */
export async function* writePack(store: Store, id: ThreadId): AsyncGenerator<Uint8Array, void> {
  const hasher = await loadHasher();
  const hash = createHash('sha256');
  const root = takeSnapshot(store, id);
  if (root === null) throw new Problem('thread-not-found', `There is no thread ${id}.`);
  let pending: Uint8Array[] = [];
  let size = 0;
  for await (const piece of pieces()) {
    hash.update(piece);
    pending.push(piece);
    size += piece.length;
    if (size < CHUNK_BYTES) continue;
    yield Buffer.concat(pending, size);
    pending = [];
    size = 0;
    // Reading the store does not wait for anything: others get their turn here.
    await turn();
  }
  pending.push(recordHead(RECORD.end, SHA256_BYTES), hash.digest());
  yield Buffer.concat(pending);

  async function* pieces(): AsyncGenerator<Uint8Array, void> {
    yield magicLine();
    const header: PackHeader = { root: id, program: VERSION, store: store.id };
    yield* record(RECORD.header, json(header));
    const bundles = new Set<Hash>();
    const roots: Hash[][] = [];
    const queue: Snapshot[] = [root!];
    const known = new Set<ThreadId>([id]);
    // It grows while it is walked: the threads nested in each follow.
    for (const snapshot of queue) {
      yield* record(RECORD.thread, json(threadJson(snapshot.row)));
      const states: Hash[] = [];
      for (const page of attemptPages(store, snapshot)) {
        const rows = page.map(stepJson);
        yield* stepRecords(rows);
        for (const { hash: state, childThread } of rows) {
          if (state !== null) states.push(state);
          if (childThread === null || known.has(childThread)) continue;
          known.add(childThread);
          const child = takeSnapshot(store, childThread);
          if (child !== null) queue.push(child);
        }
      }
      if (queue.length > PACK_LIMITS.threadsMax) throw tooLarge(id, 'threads');
      roots.push(rootsOf(snapshot, states));
      if (snapshot.row.kind === 'bundle') bundles.add(snapshot.row.version);
    }

    const digests = createDigestList();
    for (const version of bundles) {
      const bytes = await readBundle(store.root, version);
      const digest = hasher(bytes);
      if (encodeHash(digest) !== version)
        throw new Problem('store-damaged', `The file of bundle ${version} has another hash.`);
      digests.add(digest, bytes);
      yield* record(RECORD.bundle, digest, bytes);
    }
    const done = new Set<Hash>();
    for (const { digest, bytes } of closureOf(store.nodes, hasher, roots.flat(), done)) {
      if (done.size > PACK_LIMITS.nodesMax) throw tooLarge(id, 'nodes');
      digests.add(digest, bytes);
      yield* record(RECORD.node, digest, bytes);
    }
    for (let from = 0; from < digests.count(); from += DIGESTS_PER_RECORD)
      yield* record(RECORD.digests, digests.slice(from, from + DIGESTS_PER_RECORD));
  }
}

function* record(kind: RecordKind, ...parts: Uint8Array[]): Generator<Uint8Array, void> {
  yield recordHead(
    kind,
    parts.reduce((sum, part) => sum + part.length, 0),
  );
  yield* parts;
}

/** Rows of a page, a record for each 256 KiB of them. */
function* stepRecords(rows: readonly PackStepRow[]): Generator<Uint8Array, void> {
  let texts: string[] = [];
  let size = 0;
  for (const row of rows) {
    const text = JSON.stringify(row);
    texts.push(text);
    size += text.length;
    if (size < ROWS_RECORD_BYTES) continue;
    yield* record(RECORD.steps, Buffer.from(`[${texts.join(',')}]`));
    texts = [];
    size = 0;
  }
  if (texts.length > 0) yield* record(RECORD.steps, Buffer.from(`[${texts.join(',')}]`));
}

function json(value: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(value));
}

async function readBundle(root: string, version: Hash): Promise<Uint8Array> {
  try {
    return await readFile(bundleFile(root, version));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new Problem(
      'version-not-found',
      `The file of bundle ${version}, which the thread ran, is not there any more; the thread cannot be packed.`,
      { cause: error },
    );
  }
}

function tooLarge(id: ThreadId, what: string): Problem {
  return new Problem('too-large', `Thread ${id} has more ${what} than a pack can hold.`);
}
