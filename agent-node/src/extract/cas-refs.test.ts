import type { Hash } from '@uncaged/protocol/ids';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { resolveCasRefs } from './cas-refs.js';
import type { JsonObject } from './json-value.js';

const KNOWN = '0123456789ABC';
const UNKNOWN = 'ZZZZZZZZZZZZZ';

function resolve(meta: JsonObject, schema: JsonObject | null) {
  const stored: string[] = [];
  const result = resolveCasRefs(meta, schema, {
    exists: (hash) => hash === KNOWN,
    put: (text): Hash => {
      stored.push(text);
      return `PUT${String(stored.length).padStart(10, '0')}`;
    },
  });
  return { ...result, stored };
}
const ref = { type: 'string', casRef: true };
const object = (properties: JsonObject, more: JsonObject = {}) => ({
  type: 'object',
  properties,
  ...more,
});

describe('resolveCasRefs', () => {
  it('keeps addresses that exist and stores any other text', () => {
    const schema = object({ a: ref, b: ref, c: ref, d: { type: 'string' } });
    expect(resolve({ a: KNOWN, b: 'text', c: UNKNOWN, d: 'plain' }, schema)).toEqual({
      meta: { a: KNOWN, b: 'PUT0000000001', c: 'PUT0000000002', d: 'plain' },
      refs: [KNOWN, 'PUT0000000001', 'PUT0000000002'],
      stored: ['text', UNKNOWN],
    });
  });

  it('finds marks in nested objects, arrays, tuples, maps and definitions', () => {
    const schema = object(
      {
        deep: object({ a: ref }),
        list: { type: 'array', items: object({ a: ref, b: { type: 'string' } }) },
        pair: { type: 'array', prefixItems: [{ type: 'string' }, ref], items: ref },
        map: {
          type: 'object',
          additionalProperties: ref,
          properties: { plain: { type: 'string' } },
        },
        pattern: { type: 'object', patternProperties: { '^r_': ref } },
        named: { $ref: '#/$defs/tree' },
        all: { allOf: [{ type: 'string' }, { casRef: true }] },
      },
      {
        $defs: {
          tree: object({ text: ref, children: { type: 'array', items: { $ref: '#/$defs/tree' } } }),
        },
      },
    );
    const meta = {
      deep: { a: '1' },
      list: [{ a: '2', b: 'x' }],
      pair: ['x', '3', '4'],
      map: { k: '5', plain: 'x' },
      pattern: { r_a: '6', other: 'x' },
      named: { text: '7', children: [{ text: '8', children: [] }] },
      all: '9',
    };
    const before = structuredClone(meta);
    const result = resolve(meta, schema);
    expect(result.stored).toEqual(['1', '2', '3', '4', '5', '6', '7', '8', '9']);
    expect(JSON.stringify(result.meta).match(/"x"/g)).toHaveLength(4);
    expect(meta).toEqual(before);
  });

  it('follows the alternative that the value belongs to', () => {
    const schema = {
      oneOf: [
        object({ $status: { const: 'ok' }, note: ref }, { required: ['$status'] }),
        object({ $status: { const: 'bad' }, note: { type: 'string' } }, { required: ['$status'] }),
      ],
    };
    expect(resolve({ $status: 'ok', note: 'a' }, schema).stored).toEqual(['a']);
    expect(resolve({ $status: 'bad', note: 'a' }, schema).stored).toEqual([]);
  });

  it('tells alternatives of a text apart, and leaves null alone', () => {
    const schema = object({
      a: { anyOf: [{ ...ref, minLength: 5 }, { type: 'null' }] },
      b: { type: ['string', 'null'], casRef: true },
      c: {
        oneOf: [
          { type: 'string', enum: ['none'] },
          { ...ref, pattern: '^text' },
        ],
      },
    });
    expect(resolve({ a: null, b: null, c: 'none' }, schema)).toMatchObject({
      refs: [],
      stored: [],
    });
    expect(resolve({ a: 'long text', b: 'b', c: 'text c' }, schema).stored).toEqual([
      'long text',
      'b',
      'text c',
    ]);
  });

  it('follows if, then and else', () => {
    const schema = {
      properties: { kind: { type: 'string' } },
      if: { properties: { kind: { const: 'x' } } },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { properties: { v: ref } },
      else: { properties: { w: ref } },
    };
    expect(resolve({ kind: 'x', v: '1', w: '2' }, schema).stored).toEqual(['1']);
    expect(resolve({ kind: 'y', v: '1', w: '2' }, schema).stored).toEqual(['2']);
  });

  it('names each address once and returns metas without marks as they are', () => {
    expect(resolve({ a: KNOWN, b: KNOWN }, object({ a: ref, b: ref })).refs).toEqual([KNOWN]);
    const meta = { a: 'x' };
    expect(resolve(meta, object({ a: { type: 'string' } })).meta).toBe(meta);
    expect(resolve(meta, null).meta).toBe(meta);
  });

  it('does not run for ever on a schema that refers to itself', () => {
    const schema = { anyOf: [{ $ref: '#' }, object({ a: ref })], allOf: [{ $ref: '#' }] };
    expect(resolve({ a: 'x' }, schema).stored).toEqual(['x']);
  });

  it('changes nothing but marked text, whatever the value', () => {
    const schema = object({ marked: ref }, { additionalProperties: true });
    const key = fc.string().filter((name) => name !== '__proto__' && name !== 'marked');
    fc.assert(
      fc.property(fc.dictionary(key, fc.jsonValue(), { noNullPrototype: true }), (meta) => {
        expect(resolve({ ...meta, marked: 'x' }, schema).meta).toEqual({
          ...meta,
          marked: 'PUT0000000001',
        });
      }),
    );
  });
});
