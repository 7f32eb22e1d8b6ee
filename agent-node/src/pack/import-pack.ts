import { setImmediate as turn } from 'node:timers/promises';
import type { Hash, ThreadId } from '@uncaged/protocol/ids';
import { isProblem, Problem } from '@uncaged/protocol/problem';
import { workerKeyOf } from '../executor/index.js';
import type { StepRow, Store, ThreadRow } from '../store/index.js';
import { keepBundle } from './bundle-file.js';
import { invalidPack } from './format.js';
import { BATCH_BYTES, BATCH_NODES } from './limits.js';
import { type PackItem, readPack } from './read-pack.js';
import type { PackThread } from './rows.js';

export type ImportOptions = {
  /** Runs a write; an API's waits for others by itself. */
  whenFree?: <T>(work: () => T) => Promise<T>;
  /** Told after each transaction. */
  onProgress?: (nodes: number) => void;
  /** Gives up; nothing of the pack is to be seen then. */
  signal?: AbortSignal;
};

export type Imported = {
  threadId: ThreadId;
  /** Of the pack, and those that were not here before. */
  nodes: number;
  newNodes: number;
  /** The very same copy was here before; nothing has changed. */
  wasHere: boolean;
  sha256: string;
};

type PackNode = Extract<PackItem, { type: 'node' }>;

/**
 * Takes in the thread of a pack, and those nested in it, as copies that never run here; they keep their ids. Nodes are stored as
 * they come; the threads appear in the last transaction, after all of the pack was found good, or not at all: what is left then
 * is collected as everything that nothing needs. The same pack again changes nothing. Nested threads that are here already
 * stay as they are.
 *
 * Throws invalid-pack; in-use when the thread itself, or another state of it, is here; hash-collision; store-busy when
 * the store was cleaned up meanwhile; cancelled; and what `store.write` throws.
 */
export async function importPack(
  store: Store,
  source: AsyncIterable<Uint8Array>,
  options: ImportOptions = {},
): Promise<Imported> {
  const { whenFree = async (work) => work(), onProgress, signal } = options;
  const bundles = new Map<Hash, Uint8Array>();
  let batch: PackNode[] = [];
  let batchBytes = 0;
  let nodes = 0;
  let newNodes = 0;

  const flush = async (): Promise<void> => {
    if (batch.length === 0) return;
    const put = batch;
    batch = [];
    batchBytes = 0;
    newNodes += await whenFree(() => store.write('normal', () => putNodes(store, put)));
    nodes += put.length;
    onProgress?.(nodes);
    await turn();
  };

  for await (const item of readPack(source)) {
    if (signal?.aborted === true)
      throw new Problem('cancelled', 'The import was given up; nothing of the pack is to be seen.');
    switch (item.type) {
      case 'threads':
        // Better said now than after the whole of it has come.
        wasHere(store, item.threads[0]!);
        break;
      case 'bundle':
        bundles.set(item.hash, item.bytes);
        break;
      case 'node':
        batch.push(item);
        batchBytes += item.bytes.length;
        if (batchBytes >= BATCH_BYTES || batch.length >= BATCH_NODES) await flush();
        break;
      case 'end': {
        await flush();
        for (const [hash, bytes] of bundles) await keepBundle(store.root, hash, bytes);
        const { threads, hashes, sha256 } = item;
        const was = await whenFree(() =>
          store.write('full', () => insertThreads(store, threads, hashes)),
        );
        return { threadId: threads[0]!.row.id, nodes, newNodes, wasHere: was, sha256 };
      }
    }
  }
  throw new Error('a pack ends with its end, or is refused');
}

/** Returns how many were not there. */
function putNodes(store: Store, nodes: readonly PackNode[]): number {
  let added = 0;
  for (const { hash, node } of nodes) {
    if (!store.nodes.has(hash)) added += 1;
    try {
      const put = store.nodes.put(node.type, node.payload, node.refs);
      if (put !== hash) throw invalidPack(`node ${hash} becomes ${put} when it is stored`, null);
    } catch (error) {
      // What it refers to was stored just now.
      if (isProblem(error, 'invalid-node')) throw collected(error);
      throw error;
    }
  }
  return added;
}

/** In one transaction. True when they were here. */
function insertThreads(
  store: Store,
  threads: readonly PackThread[],
  hashes: ReadonlySet<Hash>,
): boolean {
  const [root, ...nested] = threads;
  if (wasHere(store, root!)) return true;
  for (const hash of hashes) if (!store.nodes.has(hash)) throw collected();
  insert(store, root!);
  for (const thread of nested) if (store.threads.get(thread.row.id) === null) insert(store, thread);
  return false;
}

function insert(store: Store, { row, steps }: PackThread): void {
  const thread: ThreadRow = {
    ...row,
    worker: workerKeyOf(row),
    imported: true,
    fence: 0,
    role: null,
  };
  const rows = steps.map(
    (step): StepRow => ({ ...step, thread: row.id, pgid: null, processStart: null }),
  );
  store.threads.insertCopy(thread, rows);
}

/** Whether this very copy is here. Throws in-use when the thread itself is, or another state of it. */
function wasHere(store: Store, { row }: PackThread): boolean {
  const here = store.threads.get(row.id);
  if (here === null) return false;
  if (!here.imported)
    throw new Problem(
      'in-use',
      `Thread ${row.id} is here itself, not a copy of it; there is nothing to import: \`uwf thread show ${row.id}\`.`,
    );
  const same = here.start === row.start && here.head === row.head && here.steps === row.steps;
  if (same && here.updatedAt === row.updatedAt) return true;
  throw new Problem(
    'in-use',
    `A copy of thread ${row.id} is here already, from another moment: it has ${here.steps} steps, the pack ${row.steps}. To take this one in instead: \`uwf thread rm ${row.id}\`, then import again.`,
  );
}

function collected(cause?: unknown): Problem {
  return new Problem(
    'store-busy',
    'The store was cleaned up while the pack came in, and what had come was taken for waste. Import it again.',
    { cause },
  );
}
