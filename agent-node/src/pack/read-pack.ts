import type { Node } from '@uncaged/protocol/cas';
import { encodeHash, type Hash, loadHasher, type ThreadId } from '@uncaged/protocol/ids';
import { createByteReader } from './byte-reader.js';
import { createChainCheck } from './chain-check.js';
import { createDigestList } from './digest-list.js';
import {
  DIGEST_BYTES,
  HASH_BYTES,
  invalidPack,
  MAGIC,
  PACK_VERSION,
  RECORD,
  RECORD_HEAD_BYTES,
  type RecordKind,
} from './format.js';
import { MAGIC_MAX_BYTES, PACK_LIMITS, PAGE_ROWS, type PackLimits } from './limits.js';
import { readNode } from './read-node.js';
import { addSteps, parseRows } from './read-rows.js';
import { lengthsOf, NEXT, versionOf } from './record-rules.js';
import { headerSchema, type PackThread, stepSchema, threadSchema } from './rows.js';
import { checkBundles, checkThreads } from './thread-set.js';

/** What a pack holds, in its order. Nothing but `end` says that all of it is good. */
export type PackItem =
  /** All threads; the first is the one that the pack is of. Whether the nodes agree is not known before `end`. */
  | { type: 'threads'; threads: readonly PackThread[] }
  | { type: 'bundle'; hash: Hash; bytes: Uint8Array }
  /** What it refers to has come before. */
  | { type: 'node'; hash: Hash; node: Node; bytes: Uint8Array }
  | {
      type: 'end';
      threads: readonly PackThread[];
      hashes: ReadonlySet<Hash>;
      bytes: number;
      /** SHA-256 of the whole pack but its last record, in hex: what to compare with whoever sent it. */
      sha256: string;
    };

const stepsSchema = stepSchema.array().max(PAGE_ROWS);

/**
 * Reads a pack and believes nothing in it: XXH64 and SHA-256 of each node, schemas of nodes and rows, that what is referred to
 * is there and comes first, that rows and nodes tell the same, lengths and counts. In bounded memory: a node, all rows, some 100
 * bytes for each node. Throws invalid-pack that says what is wrong and where; what the source throws comes as invalid-pack too,
 * unless it is a problem.
 */
export async function* readPack(
  source: AsyncIterable<Uint8Array>,
  limits: PackLimits = PACK_LIMITS,
): AsyncGenerator<PackItem, void> {
  const iterator = source[Symbol.asyncIterator]();
  try {
    yield* itemsOf(iterator, limits);
  } finally {
    // What was not read is called off.
    await iterator.return?.();
  }
}

async function* itemsOf(
  iterator: AsyncIterator<Uint8Array>,
  limits: PackLimits,
): AsyncGenerator<PackItem, void> {
  const hasher = await loadHasher();
  const reader = createByteReader(iterator);
  const chain = createChainCheck();
  const digests = createDigestList();
  const hashes = new Set<Hash>();
  const bundles = new Set<Hash>();
  const threads: PackThread[] = [];
  const lengths = lengthsOf(limits);
  let root: ThreadId | null = null;
  let rowsBytes = 0;
  let attempts = 0;
  let told = false;
  let compared = 0;
  let allowed: readonly RecordKind[] = [RECORD.header];

  const version = versionOf(await reader.readLine(MAGIC_MAX_BYTES));
  if (version === null) throw invalidPack('it is no pack', 0);
  if (version !== PACK_VERSION)
    throw invalidPack(
      `it is of version ${version}, this program reads version ${PACK_VERSION}; a newer version of uwf may read it`,
      0,
    );
  reader.count(Buffer.from(`${MAGIC}${version}\n`));

  for (;;) {
    const at = reader.position();
    const head = await reader.read(RECORD_HEAD_BYTES, 'a record');
    const kind = head.toString('latin1', 0, 1) as RecordKind;
    const length = head.readUInt32BE(1);
    if (!allowed.includes(kind))
      throw invalidPack(`a record of kind ${JSON.stringify(kind)} is not in its place`, at);
    const [min, max] = lengths[kind];
    if (length < min || length > max)
      throw invalidPack(`a record of kind ${kind} has ${length} bytes, it may have ${max}`, at);
    allowed = NEXT[kind];
    if (kind === RECORD.end) {
      const whole = reader.digest();
      const said = await reader.read(length, 'its end');
      if (!whole.equals(said)) throw invalidPack('its SHA-256 is not that of its bytes', at);
      if (!(await reader.isAtEnd()))
        throw invalidPack('something follows its end', reader.position());
      if (compared !== digests.count())
        throw invalidPack(`${digests.count() - compared} SHA-256 are missing`, at);
      for (const thread of threads) chain.check(thread);
      checkBundles(threads, bundles, at);
      const sha256 = whole.toString('hex');
      yield { type: 'end', threads, hashes, bytes: reader.position(), sha256 };
      return;
    }
    reader.count(head);
    const payload = await reader.read(length, `a record of kind ${kind}`);
    reader.count(payload);
    if (!told && (kind === RECORD.bundle || kind === RECORD.node)) {
      told = true;
      checkThreads(threads, root, at);
      yield { type: 'threads', threads };
    }
    switch (kind) {
      case RECORD.header:
        root = parseRows(headerSchema, payload, 'the header', at).root;
        break;
      case RECORD.thread: {
        const row = parseRows(threadSchema, payload, 'the row of a thread', at);
        threads.push({ row, steps: [] });
        if (threads.length > limits.threadsMax) throw tooMany(limits.threadsMax, 'threads', at);
        rowsBytes += length;
        break;
      }
      case RECORD.steps: {
        const rows = parseRows(stepsSchema, payload, 'a page of steps', at);
        addSteps(threads.at(-1)!, rows, at);
        rowsBytes += length;
        attempts += rows.length;
        if (attempts > limits.attemptsMax) throw tooMany(limits.attemptsMax, 'attempts', at);
        break;
      }
      case RECORD.bundle: {
        const bytes = payload.subarray(HASH_BYTES);
        const hash = hashed(payload, 'the file of bundle', at);
        if (bundles.has(hash)) throw invalidPack(`the file of bundle ${hash} comes twice`, at);
        bundles.add(hash);
        digests.add(payload.subarray(0, HASH_BYTES), bytes);
        yield { type: 'bundle', hash, bytes };
        break;
      }
      case RECORD.node: {
        const bytes = payload.subarray(HASH_BYTES);
        const hash = hashed(payload, 'node', at);
        if (hashes.has(hash)) throw invalidPack(`node ${hash} comes twice`, at);
        if (hashes.size >= limits.nodesMax) throw tooMany(limits.nodesMax, 'nodes', at);
        const node = readNode(hash, bytes, at);
        const missing = node.refs.find((ref) => !hashes.has(ref));
        if (missing !== undefined)
          throw invalidPack(`node ${hash} refers to ${missing}, which does not come before it`, at);
        chain.see(hash, node, at);
        hashes.add(hash);
        digests.add(payload.subarray(0, HASH_BYTES), bytes);
        yield { type: 'node', hash, node, bytes };
        break;
      }
      case RECORD.digests:
        compared = compare(payload, compared, at);
        break;
    }
    if (rowsBytes > limits.allRowsMaxBytes)
      throw tooMany(limits.allRowsMaxBytes, 'bytes of rows', at);
  }

  function hashed(payload: Uint8Array, what: string, at: number): Hash {
    const digest = payload.subarray(0, HASH_BYTES);
    const hash = encodeHash(digest);
    if (Buffer.from(hasher(payload.subarray(HASH_BYTES))).equals(digest)) return hash;
    throw invalidPack(`${what} ${hash} is damaged: its bytes have another hash`, at);
  }

  /** Entries from `from` on; returns how many have been looked at. */
  function compare(payload: Buffer, from: number, at: number): number {
    const count = payload.length / DIGEST_BYTES;
    if (!Number.isInteger(count) || from + count > digests.count())
      throw invalidPack('it has SHA-256 of more than it holds', at);
    for (let index = 0; index < count; index += 1) {
      const said = payload.subarray(index * DIGEST_BYTES, (index + 1) * DIGEST_BYTES);
      const own = digests.slice(from + index, from + index + 1);
      if (!own.equals(said))
        throw invalidPack(
          `the bytes of ${encodeHash(own)} are not those that were packed: their SHA-256 is another`,
          at,
        );
    }
    return from + count;
  }
}

function tooMany(max: number, what: string, at: number) {
  return invalidPack(`it has more than ${max} ${what}`, at);
}
