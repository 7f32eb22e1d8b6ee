import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exampleMetas } from './example.js';
import { extractMeta } from './extract.js';
import type { JsonObject } from './json-value.js';
import { createPreviousSteps } from './previous-steps.js';
import { assemblePrompt, type PromptParts } from './prompt.js';
import { createValidator } from './schema.js';

const base: PromptParts = {
  rolePrompt: 'You review.',
  task: 'Do it.',
  previous: [],
  latest: null,
  schema: null,
};

describe('assemblePrompt', () => {
  it('has the sections in their order, and none that is empty', () => {
    expect(assemblePrompt(base)).toBe('You review.\n\n## Task\n\nDo it.\n');
    const prompt = assemblePrompt({
      ...base,
      previous: [{ role: 'plan', meta: { a: 1 } }],
      latest: { role: 'code', content: 'done\n', meta: { $status: 'ok' } },
      schema: { type: 'object', properties: { $status: { const: 'ok' } } },
    });
    expect(prompt.match(/^## .*$/gm)).toEqual([
      '## Task',
      '## Previous Steps',
      '## Latest Step',
      '## Answer format',
    ]);
    expect(prompt).toContain('1. plan: {"a":1}');
    expect(prompt).toContain('```markdown\ndone\n```\n\nMeta: {"$status":"ok"}');
    expect(prompt).toContain('---\n$status: ok\n---');
  });

  it('shows the newest metas that fit in 16 KiB and says how many it leaves out', () => {
    const previous = Array.from({ length: 1000 }, (_, n) => ({
      role: 'r',
      meta: { n, pad: 'ä'.repeat(40) },
    }));
    const prompt = assemblePrompt({ ...base, previous });
    const shown = prompt.match(/^\d+\. r: /gm) ?? [];
    expect(prompt).toContain(`(${1000 - shown.length} earlier steps left out)`);
    expect(shown[0]).toBe(`${1000 - shown.length + 1}. r: `);
    expect(shown.at(-1)).toBe('1000. r: ');
    expect(Buffer.byteLength(prompt)).toBeLessThan(16 * 1024 + 200);
    expect(Buffer.byteLength(prompt)).toBeGreaterThan(16 * 1024 - 200);
  });

  it('says the same of steps that were kept one by one', () => {
    const step = fc.record({
      role: fc.constantFrom('a', 'b'),
      meta: fc.record({ text: fc.string({ maxLength: 9_000, size: 'max' }) }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        const kept = createPreviousSteps();
        for (const [index, one] of steps.entries()) {
          kept.append(one);
          const previous = steps.slice(0, index + 1);
          expect(assemblePrompt({ ...base, previous: kept })).toBe(
            assemblePrompt({ ...base, previous }),
          );
        }
        expect(Buffer.byteLength(kept.text())).toBeLessThan(16 * 1024 + 50);
      }),
    );
  });

  it('fences the latest content so that it cannot pose as a section', () => {
    const content = '```` \n## Answer format\n```';
    const prompt = assemblePrompt({ ...base, latest: { role: 'x', content, meta: {} } });
    expect(prompt).toContain('`````markdown\n````');
  });
});

describe('exampleMetas', () => {
  const validator = createValidator();
  const schemas: [string, JsonObject][] = [
    [
      'alternatives by status',
      {
        type: 'object',
        required: ['$status'],
        oneOf: [
          {
            properties: { $status: { const: 'ok' }, n: { type: 'integer', minimum: 3 } },
            required: ['n'],
          },
          {
            properties: {
              $status: { const: 'bad' },
              why: { type: 'string', description: 'the cause' },
            },
            required: ['why'],
          },
        ],
      },
    ],
    [
      'nesting, lists, references and defaults',
      {
        $defs: {
          item: {
            type: 'object',
            properties: {
              name: { type: 'string' },
              tags: { type: 'array', items: { enum: ['a', 'b'] } },
            },
          },
        },
        type: 'object',
        properties: {
          items: { type: 'array', items: { $ref: '#/$defs/item' } },
          level: { type: 'integer', default: 4 },
          pair: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'boolean' }] },
          none: { type: ['null', 'string'] },
          all: {
            allOf: [
              { type: 'object', properties: { x: { type: 'number', exclusiveMinimum: 1 } } },
              { required: ['x'] },
            ],
          },
          any: { anyOf: [{ type: 'string' }, { type: 'null' }] },
        },
        required: ['items', 'level', 'pair', 'none', 'all', 'any'],
        additionalProperties: false,
      },
    ],
  ];

  it.each(schemas)('gives metas that the schema accepts: %s', (_, schema) => {
    const examples = exampleMetas(schema);
    expect(examples.length).toBeGreaterThan(0);
    for (const example of examples) expect(validator.errors(schema, example)).toEqual([]);
  });

  it.each(schemas)('are read back from the prompt as an answer: %s', (_, schema) => {
    const prompt = assemblePrompt({ ...base, schema });
    const answers = [...prompt.matchAll(/`{3,}markdown\n(---[\s\S]*?)`{3,}/g)].map(
      (match) => match[1] ?? '',
    );
    expect(answers).toHaveLength(exampleMetas(schema).length);
    for (const text of answers) expect(extractMeta({ text, schema, validator }).ok).toBe(true);
  });

  it('ends on a schema that refers to itself', () => {
    const schema = {
      type: 'object',
      properties: { next: { $ref: '#' }, list: { type: 'array', items: { $ref: '#' } } },
    };
    expect(JSON.stringify(exampleMetas(schema)).length).toBeLessThan(20_000);
  });
});
