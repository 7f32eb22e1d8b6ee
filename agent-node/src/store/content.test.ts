import type { Hash } from '@uncaged/protocol/ids';
import { CONTENT_MAX_BYTES } from '@uncaged/protocol/limits';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pieceEnd } from './content-pieces.js';
import { createContentWriter } from './content-writer.js';
import type { Store } from './store.js';
import { putStart, temporaryStore } from './test-store.js';

const MIB = 1024 * 1024;

function writeAll(store: Store, chunks: Iterable<Uint8Array>): Hash {
  const writer = createContentWriter(store);
  for (const chunk of chunks) writer.write(chunk);
  const prepared = writer.seal();
  store.write('full', prepared.put);
  return prepared.hash;
}

function readAll(store: Store, hash: Hash): Buffer {
  return Buffer.concat([...store.nodes.contentChunks(hash)]);
}

function* sliced(bytes: Uint8Array, sizes: readonly number[]): Generator<Uint8Array> {
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length]!;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

describe('cutting content', () => {
  it('never cuts a character, loses nothing and leaves no piece over the limit', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 60 }),
        fc.integer({ min: 4, max: 20 }),
        (text, max) => {
          const pieces: string[] = [];
          for (let rest: Uint8Array = Buffer.from(text); rest.length > 0; ) {
            const end = pieceEnd(rest, max);
            expect(end).toBeGreaterThan(0);
            expect(end).toBeLessThanOrEqual(max);
            pieces.push(
              new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(
                rest.subarray(0, end),
              ),
            );
            rest = rest.subarray(end);
          }
          expect(pieces.join('')).toBe(Buffer.from(text).toString());
        },
      ),
    );
  });

  it('makes progress on bytes that are no UTF-8', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 50 }), (bytes) => {
        const end = pieceEnd(bytes, 4);
        expect(end).toBeGreaterThan(0);
        expect(end).toBeLessThanOrEqual(4);
      }),
    );
    expect(pieceEnd(new Uint8Array(10).fill(0x80), 8)).toBe(8);
  });
});

describe('text', () => {
  it.each(['', 'plain', '\uFEFFwith a mark', 'NUL\u0000s', 'ä€😀'])(
    '%j is one node and comes back',
    async (text) => {
      const store = await temporaryStore();
      const hash = store.write('normal', () => store.nodes.putText(text));
      expect(store.nodes.get(hash)!.type).toBe('content');
      expect(store.nodes.readText(hash)).toBe(text);
      expect(store.nodes.contentSize(hash)).toBe(Buffer.byteLength(text));
    },
  );

  it('of exactly a piece is one node, a byte more is two', async () => {
    const store = await temporaryStore();
    const [one, two] = store.write('normal', () => [
      store.nodes.putText('x'.repeat(CONTENT_MAX_BYTES)),
      store.nodes.putText('x'.repeat(CONTENT_MAX_BYTES + 1)),
    ]);
    expect(store.nodes.get(one)!.type).toBe('content');
    const parts = store.nodes.get(two)!;
    expect(parts.type === 'parts' && parts.payload.parts.length).toBe(2);
    expect(store.nodes.contentSize(two)).toBe(CONTENT_MAX_BYTES + 1);
  });

  it('is addressed before it is written', async () => {
    const store = await temporaryStore();
    const prepared = store.nodes.prepareText('later');
    expect(store.nodes.has(prepared.hash)).toBe(false);
    store.write('normal', prepared.put);
    expect(store.nodes.readText(prepared.hash)).toBe('later');
    expect(store.write('normal', () => store.nodes.putText('later'))).toBe(prepared.hash);
  });

  it('that is not well-formed is stored with U+FFFD, long or short', async () => {
    const store = await temporaryStore();
    for (const text of ['a\uD800b', `${'a'.repeat(CONTENT_MAX_BYTES)}\uD800b`]) {
      const hash = store.write('normal', () => store.nodes.putText(text));
      expect(store.nodes.readText(hash)).toBe(text.toWellFormed());
    }
  });

  it('stops at maxBytes without a broken character', async () => {
    const store = await temporaryStore();
    const hash = store.write('normal', () => store.nodes.putText('ab€cd'));
    expect(store.nodes.readText(hash, 4)).toBe('ab');
    expect(store.nodes.readText(hash, 5)).toBe('ab€');
    expect(store.nodes.readText(hash, 100)).toBe('ab€cd');
  });

  it('is told from what is no text, missing or incomplete', async () => {
    const store = await temporaryStore();
    const start = store.write('normal', () => putStart(store));
    expect(() => store.nodes.readText(start)).toThrow(
      expect.objectContaining({ code: 'node-not-found' }),
    );
    expect(() => store.nodes.contentSize('0000000000000')).toThrow(
      expect.objectContaining({ code: 'node-not-found' }),
    );
    const nested = store.write('normal', () => {
      const inner = store.nodes.put('parts', { size: 1, parts: [store.nodes.putText('x')] });
      return store.nodes.put('parts', { size: 1, parts: [inner] });
    });
    expect(() => store.nodes.readText(nested)).toThrow(
      expect.objectContaining({ code: 'store-damaged' }),
    );
  });
});

describe('a content writer', () => {
  it('makes the same node of the same bytes however they arrive, and gives them back', async () => {
    const store = await temporaryStore();
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      fc
        .string({ unit: 'grapheme', maxLength: 100 })
        .map((text) => new Uint8Array(Buffer.from(text))),
    );
    const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(bytes, sizes, (output, cuts) => {
        const hash = writeAll(store, sliced(output, cuts));
        expect(hash).toBe(writeAll(store, [output]));
        expect(readAll(store, hash).equals(output)).toBe(true);
      }),
    );
  });

  it('makes the same nodes of a long text as putText', async () => {
    const store = await temporaryStore();
    const text = `${'€'.repeat(MIB)}ä😀`;
    const hash = writeAll(store, sliced(Buffer.from(text), [1, 65_536, 7, 100_001]));
    expect(hash).toBe(store.nodes.prepareText(text).hash);
    expect(store.nodes.readText(hash)).toBe(text);
  });

  it('mixes text and bytes pieces where a part of a long output is no UTF-8', async () => {
    const store = await temporaryStore();
    const output = Buffer.concat([
      Buffer.alloc(CONTENT_MAX_BYTES, 'a'),
      Buffer.alloc(CONTENT_MAX_BYTES, 0xff),
      Buffer.from('the end'),
    ]);
    const hash = writeAll(store, sliced(output, [99_999]));
    const node = store.nodes.get(hash)!;
    if (node.type !== 'parts') throw new Error('not parts');
    expect(node.payload.parts.map((part) => store.nodes.get(part)!.type)).toEqual([
      'content',
      'bytes',
      'content',
    ]);
    expect(node.payload.size).toBe(output.length);
    expect(readAll(store, hash).equals(output)).toBe(true);
  });

  it('keeps the first 64 KiB and the last MiB', async () => {
    const store = await temporaryStore();
    const output = Buffer.alloc(5 * MIB + 17);
    for (let at = 0; at < output.length; at += 4)
      output.writeUInt32LE(at, Math.min(at, output.length - 4));
    const writer = createContentWriter(store);
    for (const chunk of sliced(output, [1, 1_500_000, 3, 65_536])) writer.write(chunk);
    expect(writer.size).toBe(output.length);
    expect(output.subarray(0, 64 * 1024).equals(writer.head())).toBe(true);
    expect(output.subarray(-MIB).equals(writer.tail())).toBe(true);
  });

  it('stores an output of nothing as empty text', async () => {
    const store = await temporaryStore();
    expect(store.nodes.readText(writeAll(store, []))).toBe('');
  });

  it('holds a long output in bounded memory and refuses one beyond the limit', async () => {
    const store = await temporaryStore();
    const writer = createContentWriter(store);
    const chunk = Buffer.alloc(MIB, 'x');
    const before = process.memoryUsage().arrayBuffers;
    for (let i = 0; i < 256; i += 1) writer.write(chunk);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * MIB);
    expect(() => writer.write(Buffer.from('y'))).toThrow(
      expect.objectContaining({ code: 'output-too-large' }),
    );
  });
});
