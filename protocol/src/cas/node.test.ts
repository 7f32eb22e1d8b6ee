import canonicalize from 'canonicalize';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { encodeHash, type Hasher, loadHasher } from '../ids/index.js';
import { isProblem } from '../problem/index.js';
import {
  canonicalBytes,
  createNode,
  type Node,
  type NodeType,
  type Payload,
  parseNode,
  payloadSchemas,
} from './index.js';
import { pinnedNodes } from './pinned-nodes.test-data.js';
import { samplePayloads } from './samples.test-data.js';

const types = Object.keys(payloadSchemas) as NodeType[];
const textOf = (node: Node) => new TextDecoder().decode(canonicalBytes(node));
const bytesOf = (text: string) => new TextEncoder().encode(text);

function problemOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (isProblem(error)) return error.code;
    throw error;
  }
  return 'no problem';
}

/** A state with this meta; everything else as in the sample. */
const stateWith = (meta: Record<string, unknown>) =>
  createNode('state', { ...samplePayloads.state, meta });

const nested = (depth: number): Record<string, unknown> =>
  depth === 1 ? {} : { inner: nested(depth - 1) };

describe('the stored form of a node', () => {
  let hasher: Hasher;
  beforeAll(async () => {
    hasher = await loadHasher();
  });

  it.each(types)('of type %s never changes', (type) => {
    const node = createNode(type, samplePayloads[type]);
    const hash = encodeHash(hasher(canonicalBytes(node)));
    expect({ hash, text: textOf(node) }).toEqual(pinnedNodes[type]);
  });

  it.each(types)('of type %s is RFC 8785', (type) => {
    const node = createNode(type, samplePayloads[type]);
    expect(textOf(node)).toBe(canonicalize(node));
  });

  it('is read back as it was', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()), (meta) => {
        const node = stateWith(meta);
        expect(parseNode(canonicalBytes(node))).toEqual(node);
      }),
    );
  });

  it('does not depend on the order of keys', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (meta) => {
        const reversed = Object.fromEntries(Object.entries(meta).reverse());
        const payload = Object.fromEntries(
          Object.entries({ ...samplePayloads.state, meta: reversed }).reverse(),
        ) as Payload<'state'>;
        expect(textOf(createNode('state', payload))).toBe(textOf(stateWith(meta)));
      }),
    );
  });

  it('keeps keys that objects are wary of', () => {
    const meta = JSON.parse('{"__proto__":{"polluted":true},"constructor":1}');
    const node = stateWith(meta);
    expect(textOf(node)).toContain('"__proto__":{"polluted":true}');
    expect(parseNode(canonicalBytes(node))).toEqual(node);
    const repaired = stateWith(JSON.parse('{"__proto__":{"a":"\\ud800"}}'));
    expect(textOf(repaired)).toContain('"__proto__":{"a":"\ufffd"}');
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});

describe('createNode', () => {
  it('names each hash of the payload once, ascending, and no null', () => {
    const hash = fc.stringMatching(/^[0-9A-HJKMNP-TV-Z]{13}$/);
    fc.assert(
      fc.property(
        fc.array(hash),
        fc.option(hash),
        fc.array(hash),
        (ancestors, compact, casRefs) => {
          const { refs, payload } = createNode(
            'state',
            { ...samplePayloads.state, ancestors, compact },
            casRefs,
          );
          const held = [payload.start, payload.content, compact, ...ancestors, ...casRefs];
          expect(refs).toEqual([...new Set(held.filter((value) => value !== null))].sort());
        },
      ),
    );
  });

  it('makes text well-formed, in keys and values, and leaves its argument alone', () => {
    const payload = { text: 'half \ud83d' };
    expect(createNode('content', payload).payload.text).toBe('half \ufffd');
    expect(payload.text).toBe('half \ud83d');
    const meta = { list: ['\udc00', 'fine'], '\ud800': 1, gone: undefined, zero: -0 };
    expect(stateWith(meta).payload.meta).toEqual({
      list: ['\ufffd', 'fine'],
      '\ufffd': 1,
      zero: 0,
    });
    expect(meta.list[0]).toBe('\udc00');
  });

  it('takes JSON of depth 256 and refuses more', () => {
    const deepest = stateWith(nested(256));
    expect(parseNode(canonicalBytes(deepest))).toEqual(deepest);
    expect(problemOf(() => stateWith(nested(257)))).toBe('invalid-node');
    expect(problemOf(() => stateWith(nested(5000)))).toBe('invalid-node');
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    expect(problemOf(() => stateWith(circle))).toBe('invalid-node');
  });

  it.each([
    ['NaN', Number.NaN],
    ['a function', () => 1],
    ['a bigint', 1n],
    ['a date', new Date(0)],
    ['a map', new Map()],
  ])('refuses %s', (_name, value) => {
    expect(problemOf(() => stateWith({ value }))).toBe('invalid-node');
  });
});

describe('parseNode', () => {
  it.each([
    ['nothing', ''],
    ['half a node', '{"payload":{"text":"a"'],
    ['other JSON', '[1]'],
    ['a missing field', '{"payload":{},"refs":[],"type":"content"}'],
    ['no type', '{"payload":{},"refs":[]}'],
  ])('calls %s damage', (_name, text) => {
    expect(problemOf(() => parseNode(bytesOf(text)))).toBe('store-damaged');
  });

  it('calls invalid UTF-8 damage', () => {
    const bytes = canonicalBytes(createNode('content', { text: 'abc' }));
    bytes[bytes.indexOf(0x61)] = 0xff;
    expect(problemOf(() => parseNode(bytes))).toBe('store-damaged');
  });

  it('says that a type it does not know may be newer', () => {
    const text = '{"payload":{},"refs":[],"type":"toString"}';
    expect(problemOf(() => parseNode(bytesOf(text)))).toBe('invalid-node');
  });
});
