import { describe, expect, it } from 'vitest';
import { extractMeta } from './extract.js';
import type { JsonObject } from './json-value.js';
import { createValidator } from './schema.js';

const validator = createValidator();
const schema = {
  type: 'object',
  properties: {
    $status: { enum: ['done', 'stuck'] },
    files: { type: 'array', items: { type: 'string' } },
  },
  required: ['$status'],
  additionalProperties: false,
};
const extract = (text: string, by: JsonObject | null = schema) =>
  extractMeta({ text, schema: by, validator });
const errorOf = (text: string, by: JsonObject | null = schema) => {
  const result = extract(text, by);
  return result.ok ? '' : result.errorText;
};

describe('extractMeta', () => {
  it('gives the frontmatter that matches', () => {
    expect(extract('---\n$status: done\nfiles: [a]\n---\ntext')).toEqual({
      ok: true,
      meta: { $status: 'done', files: ['a'] },
    });
  });

  it.each([
    ['bare', '{"$status": "done"}'],
    ['over several lines', '\n{\n  "$status": "done"\n}\n'],
    ['in a fence', '```json\n{"$status": "done"}\n```\n'],
    ['after thinking', '<think>hm</think>\n{"$status": "done"}'],
  ])('takes a whole JSON object, %s', (_, text) => {
    expect(extract(text)).toEqual({ ok: true, meta: { $status: 'done' } });
  });

  it('does not pick objects out of a text', () => {
    expect(errorOf('Here you are: {"$status": "done"}')).toContain(
      'does not begin with YAML frontmatter',
    );
    expect(errorOf('{"$status": "done"}\nBye')).toContain('does not begin');
  });

  it('says where, what was expected and what was there', () => {
    const text = errorOf('---\n$status: maybe\nfiles: [1, a]\nextra: 1\n---\n');
    expect(text).toContain('$status: must be one of "done", "stuck", but it is "maybe"');
    expect(text).toContain('files.0: must be of type string, but it is 1');
    expect(text).toContain('the field extra is not allowed');
    expect(errorOf('---\nfiles: []\n---\n')).toContain('the field $status is missing');
    expect(errorOf('---\na: "x\n---\n')).toContain('not valid YAML');
  });

  it('explains only the alternative that $status names', () => {
    const alternatives = {
      oneOf: [
        {
          type: 'object',
          properties: { $status: { const: 'ok' }, n: { type: 'number' } },
          required: ['$status', 'n'],
        },
        {
          type: 'object',
          properties: { $status: { const: 'bad' }, why: { type: 'string' } },
          required: ['$status', 'why'],
        },
      ],
    };
    expect(errorOf('---\n$status: bad\n---\n', alternatives)).toBe(
      'the frontmatter does not match the schema:\n- the answer: the field why is missing',
    );
    expect(errorOf('---\n$status: x\n---\n', alternatives)).toBe(
      'the frontmatter does not match the schema:\n- $status: must be one of "ok", "bad", but it is "x"',
    );
    expect(errorOf('---\na: 1\n---\n', alternatives)).toContain('the field $status is missing');
    expect(extract('---\n$status: ok\nn: 1\n---\n', alternatives).ok).toBe(true);
  });

  it('accepts anything when nothing is asked for', () => {
    expect(extract('just text', null)).toEqual({ ok: true, meta: {} });
    expect(extract('---\nintro\n---\ntext', null)).toEqual({ ok: true, meta: {} });
    expect(extract('---\na: 1\n---\n', null)).toEqual({ ok: true, meta: { a: 1 } });
  });
});

describe('createValidator', () => {
  it('gives up a pattern that backtracks without end', () => {
    const schema = { properties: { a: { pattern: '^(a+)+$' } } };
    const { errors } = createValidator();
    expect(errors(schema, { a: 'aaa' })).toEqual([]);
    expect(errors(schema, { a: 'b' })).toHaveLength(1);
    expect(() => errors(schema, { a: `${'a'.repeat(40)}!` })).toThrow('(a+)+');
  });

  it('takes schemas with the same $id, marks of our own, and formats', () => {
    const one = {
      $id: 'same',
      type: 'object',
      properties: { a: { type: 'string', casRef: true, format: 'odd' } },
    };
    const two = { $id: 'same', type: 'object', properties: { a: { type: 'number' } } };
    expect(validator.errors(one, { a: 'x' })).toEqual([]);
    expect(validator.errors(two, { a: 'x' })).toHaveLength(1);
    expect(validator.errors(structuredClone(one), { a: 'x' })).toEqual([]);
  });

  it.each([
    ['an unknown type', { type: 'strin' }],
    ['a reference to nowhere', { $ref: '#/$defs/none' }],
    ['a reference to another document', { $ref: 'https://example.com/x' }],
    ['an asynchronous schema', { $async: true, type: 'object' }],
  ])('refuses %s as a definition that is wrong', (_, broken) => {
    expect(() => validator.errors(broken, {})).toThrow(
      expect.objectContaining({ code: 'invalid-definition' }),
    );
    expect(() => validator.errors(broken, {})).toThrow(
      expect.objectContaining({ code: 'invalid-definition' }),
    );
  });

  it('calls the value what it is told to', () => {
    expect(validator.errors({ type: 'object', required: ['a'] }, {}, 'the inputs')).toEqual([
      'the inputs: the field a is missing',
    ]);
  });

  it('lists some findings of many', () => {
    const many = { type: 'array', items: { type: 'string' } };
    const errors = validator.errors(many, Array(50).fill(1));
    expect(errors).toHaveLength(11);
    expect(errors.at(-1)).toBe('and 40 more');
  });

  it('goes on right when more schemas come than it keeps', () => {
    const schemas = Array.from({ length: 450 }, (_, n) => ({ const: n }));
    for (const [n, one] of schemas.entries()) expect(validator.errors(one, n)).toEqual([]);
    for (const [n, one] of schemas.entries()) expect(validator.errors(one, n + 1)).toHaveLength(1);
  });
});
