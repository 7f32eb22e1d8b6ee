import { type Definition, definitionSchema } from '@uncaged/protocol/workflow';
import { describe, expect, it } from 'vitest';
import { createValidator } from '../extract/index.js';
import { nestedMeta } from './nested-meta.js';

const child = {
  id: '01ARZ3NDEKTSV4RRFFQ69G5FAV',
  workflow: 'inner',
  parent: '01ARZ3NDEKTSV4RRFFQ69G5FAW',
};
const validator = createValidator();

/** A definition whose role `r` has edges for these statuses; null: it has rules. */
function withEdges(statuses: readonly string[] | null): Definition {
  const edge = { role: '__end__', prompt: null };
  return definitionSchema.parse({
    name: 'outer',
    description: null,
    inputs: null,
    maxSteps: null,
    budget: null,
    roles: {},
    graph:
      statuses === null
        ? null
        : { r: Object.fromEntries(statuses.map((status) => [status, edge])) },
    moderator: statuses === null ? [{ from: 'r', to: '__end__', when: null, prompt: null }] : null,
  });
}

function metaOf(
  statuses: readonly string[] | null,
  last: Record<string, unknown>,
  schema: Record<string, unknown> | null = null,
) {
  const workflow = { definition: withEdges(statuses) };
  return nestedMeta({ workflow, role: 'r', schema, validator, child }, last);
}

const only = (status: string, more = {}) => ({
  type: 'object',
  properties: { $status: { const: status }, ...more },
  required: ['$status'],
  additionalProperties: false,
});

describe('the meta of a step that was a nested thread', () => {
  it('is that of its last step, where its status leads somewhere', () => {
    const last = { $status: 'approved', files: 3 };
    expect(metaOf(['approved', 'rejected'], last)).toEqual(last);
    expect(metaOf(['_'], last)).toEqual(last);
    expect(metaOf(null, last)).toEqual(last);
  });

  it('has the status ok, or the only one there is, where its own leads nowhere', () => {
    expect(metaOf(['ok', 'failed'], { $status: 'approved', n: 1 })).toEqual({
      $status: 'ok',
      n: 1,
    });
    expect(metaOf(['done'], { $status: 'approved', n: 1 })).toEqual({ $status: 'done', n: 1 });
    expect(metaOf(['done'], {})).toEqual({ $status: 'done' });
  });

  it('keeps its own status where no other would lead anywhere either, for the moderator to say so', () => {
    expect(metaOf(['a', 'b'], { $status: 'approved' })).toEqual({ $status: 'approved' });
  });

  it('leaves out what the role does not take', () => {
    const last = { $status: 'approved', files: 3 };
    expect(metaOf(['ok'], last, only('ok'))).toEqual({ $status: 'ok' });
    expect(metaOf(['approved'], last, only('approved', { files: { type: 'number' } }))).toEqual(
      last,
    );
  });

  it('is refused for good when the role takes none of it', () => {
    const needs = { type: 'object', properties: { plan: { type: 'string' } }, required: ['plan'] };
    expect(() => metaOf(['ok'], { $status: 'ok' }, needs)).toThrow(
      expect.objectContaining({
        code: 'answer-invalid',
        retryable: false,
        message: expect.stringContaining(child.id),
      }),
    );
  });
});
