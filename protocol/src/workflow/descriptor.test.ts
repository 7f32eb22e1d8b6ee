import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { buildDescriptor, END, FALLBACK, START, validateDescriptor } from './index.js';

describe('the descriptor of a workflow', () => {
  const descriptor = buildDescriptor({
    description: 'Greets',
    roles: {
      greeter: {
        description: 'Says hello',
        prompt: 'Greet.',
        schema: z.object({ to: z.string() }),
      },
      guest: { description: 'Listens', prompt: 'Hear.', schema: null },
    },
    moderator: {
      [START]: [{ condition: FALLBACK, role: 'greeter' }],
      greeter: [
        {
          condition: {
            name: 'named',
            description: 'Somebody is there',
            check: ({ last }) => last.meta.to !== '',
          },
          role: 'guest',
        },
        { condition: FALLBACK, role: END },
      ],
    },
  });

  it('has roles with JSON Schemas and edges with conditions', () => {
    expect(descriptor.roles.greeter).toMatchObject({
      description: 'Says hello',
      prompt: 'Greet.',
      schema: { type: 'object', properties: { to: { type: 'string' } } },
    });
    expect(descriptor.roles.guest?.schema).toEqual({});
    expect(descriptor.graph.edges).toEqual([
      { from: '__start__', to: 'greeter', condition: 'FALLBACK', conditionDescription: null },
      {
        from: 'greeter',
        to: 'guest',
        condition: 'named',
        conditionDescription: 'Somebody is there',
      },
      { from: 'greeter', to: '__end__', condition: 'FALLBACK', conditionDescription: null },
    ]);
  });

  it('is valid, as is one without roles and edges', () => {
    expect(validateDescriptor(descriptor)).toEqual(descriptor);
    const empty = { description: '', roles: {}, graph: { edges: [] } };
    expect(validateDescriptor(empty)).toEqual(empty);
  });

  it('may say systemPrompt, as older bundles do', () => {
    const old = {
      description: '',
      roles: { a: { description: 'd', systemPrompt: 'p', schema: {} } },
      graph: { edges: [{ from: 'a', to: END, condition: FALLBACK }] },
    };
    const { roles, graph } = validateDescriptor(old);
    expect(roles.a).toEqual({ description: 'd', prompt: 'p', schema: {} });
    expect(graph.edges[0]?.conditionDescription).toBeNull();
  });

  it.each([
    ['no object', null],
    ['no graph', { description: '', roles: {} }],
    [
      'a schema that is null',
      {
        description: '',
        roles: { a: { description: '', prompt: '', schema: null } },
        graph: { edges: [] },
      },
    ],
    [
      'a schema that is a list',
      {
        description: '',
        roles: { a: { description: '', prompt: '', schema: [] } },
        graph: { edges: [] },
      },
    ],
    [
      'no prompt',
      { description: '', roles: { a: { description: '', schema: {} } }, graph: { edges: [] } },
    ],
  ])('is refused with %s', (_name, value) => {
    expect(() => validateDescriptor(value)).toThrow('not valid at');
  });
});
