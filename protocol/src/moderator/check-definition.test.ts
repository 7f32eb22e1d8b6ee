import { describe, expect, it } from 'vitest';
import { checkDefinition } from './index.js';
import { definitionOf, statusSchema } from './sample-definition.test-data.js';

type File = Record<string, unknown>;

const check = (file: File, agents: string[] | null = null) =>
  checkDefinition(definitionOf(file), { agents });

/** Findings in short: E or W, code, path. */
const found = (file: File, agents: string[] | null = null) =>
  check(file, agents).map(
    ({ severity, code, path }) => `${severity === 'error' ? 'E' : 'W'} ${code} ${path.join('/')}`,
  );

const start = (role: string, prompt?: string) => ({ _: { role, prompt } });
const end = { role: '$END' };

describe('checkDefinition', () => {
  it('finds nothing in a sound graph', () => {
    const file = {
      inputs: { type: 'object', properties: { branch: { type: 'string' } } },
      roles: {
        planner: {
          frontmatter: {
            oneOf: [
              { properties: { $status: { const: 'ready' }, plan: {} }, required: ['$status'] },
              { properties: { $status: { const: 'empty' }, reason: {} }, required: ['$status'] },
            ],
          },
        },
        coder: { frontmatter: { properties: { branch: { type: 'string' } } } },
        test: { run: 'make test' },
      },
      graph: {
        $START: start('planner', '{{{prompt}}} on {{{branch}}}'),
        planner: {
          ready: {
            role: 'coder',
            prompt: '{{{plan}}} {{{start.prompt}}} {{{start.inputs.branch}}}',
          },
          empty: { role: '$END', prompt: 'Nothing: {{{reason}}}' },
        },
        coder: { _: { role: 'test', prompt: '{{{branch}}}' } },
        test: { ok: end, failed: { role: 'coder', prompt: '{{{$status}}}' } },
      },
    };
    expect(check(file, [])).toEqual([]);
  });

  it('finds nothing in sound rules', () => {
    const file = {
      roles: { a: {}, b: { frontmatter: { properties: { note: {} } } } },
      moderator: [
        { from: '$START', to: 'a' },
        { from: 'a', to: 'b', when: 'steps[-1].meta.go' },
        { from: 'a', to: '$END' },
        { from: 'b', to: 'a', prompt: '{{{note}}}' },
      ],
    };
    expect(check(file)).toEqual([]);
  });

  it('wants exactly one of graph and moderator, and a role', () => {
    expect(found({ roles: {} })).toEqual(['E no-roles roles', 'E routing-missing ']);
    const graph = { $START: start('a'), a: { _: end } };
    const moderator = [{ from: '$START', to: 'a' }];
    expect(found({ roles: { a: {} }, graph, moderator })).toEqual(['E routing-twice moderator']);
  });

  it('finds roles that do not exist, and guesses which was meant', () => {
    const file = {
      roles: { builder: {} },
      graph: {
        $START: start('bulider'),
        builder: { _: end },
        bilder: { ok: end, bad: { role: '$START' } },
      },
    };
    expect(found(file)).toEqual([
      'E unknown-role graph/$START/_/role',
      'E unknown-role graph/bilder',
      'E edge-to-start graph/bilder/bad/role',
    ]);
    expect(check(file)[0]?.fix).toBe('Did you mean "builder"?');
    const rules = [
      { from: '$START', to: 'buildr' },
      { from: 'nobody', to: '$END' },
    ];
    expect(found({ roles: { builder: {} }, moderator: rules }).slice(0, 2)).toEqual([
      'E unknown-role moderator/0/to',
      'E unknown-role moderator/1/from',
    ]);
  });

  it('finds what cannot be reached and what never ends', () => {
    const roles = { a: {}, b: {}, c: {}, d: {} };
    expect(
      found({
        roles,
        graph: {
          $START: start('a'),
          a: { _: { role: 'b' } },
          b: { _: { role: 'a' } },
          c: { _: end },
        },
      }),
    ).toEqual(['E no-end graph', 'W unreachable-role roles/c', 'W unreachable-role roles/d']);
    const graph = {
      $START: start('a'),
      a: { x: { role: 'b' }, y: { role: 'c' }, z: { role: 'd' } },
      b: { _: { role: 'b' } },
      c: { _: end },
    };
    const withStatus = { ...roles, a: { frontmatter: statusSchema('x', 'y', 'z') } };
    expect(found({ roles: withStatus, graph })).toEqual(['E no-end roles/b', 'E no-edges roles/d']);
    expect(found({ roles: { a: {} }, graph: { a: { _: end } } })).toEqual(['E no-start graph']);
    const twice = {
      roles: { a: {} },
      graph: { $START: { _: { role: 'a' }, ok: end }, a: { _: end } },
    };
    expect(found(twice)).toEqual(['E start-status graph/$START/ok']);
  });

  const oneRole = (role: File, edges: File) =>
    found({ roles: { a: role }, graph: { $START: start('a'), a: edges } });

  it.each<[string, File, File, string[]]>([
    [
      'unrouted',
      { frontmatter: statusSchema('x', 'y') },
      { x: end },
      ['E status-unrouted graph/a'],
    ],
    [
      'impossible',
      { frontmatter: statusSchema('x') },
      { x: end, y: end },
      ['E status-impossible graph/a/y'],
    ],
    [
      'a const',
      { frontmatter: { properties: { $status: { const: 'x' } }, required: ['$status'] } },
      { x: end },
      [],
    ],
    ['"_" for one', { frontmatter: statusSchema('x') }, { _: end }, []],
    [
      '"_" for two',
      { frontmatter: statusSchema('x', 'y') },
      { _: end },
      ['E status-unrouted graph/a/_'],
    ],
    ['"_" and another', {}, { _: end, x: end }, ['E status-mixed graph/a/_']],
    ['no schema', {}, { x: end }, ['E status-open roles/a']],
    [
      'a schema without $status',
      { frontmatter: { type: 'object' } },
      { x: end },
      ['E status-open roles/a/frontmatter'],
    ],
    [
      'an optional $status',
      { frontmatter: { properties: { $status: { enum: ['x'] } } } },
      { x: end },
      ['W status-optional roles/a/frontmatter'],
    ],
    [
      'a referenced status',
      {
        frontmatter: {
          $defs: { s: { enum: ['x', 'y'] } },
          allOf: [{ properties: { $status: { $ref: '#/$defs/s' } } }],
          required: ['$status'],
        },
      },
      { x: end },
      ['E status-unrouted graph/a'],
    ],
    ['a schema that refers to itself', { frontmatter: { $ref: '#' } }, { _: end }, []],
    ['a script', { run: 'true' }, { ok: end, failed: end }, []],
    ['a script without failed', { run: 'true' }, { ok: end }, ['W status-unrouted graph/a']],
    ['a script with "_"', { run: 'true' }, { _: end }, ['W status-unrouted graph/a']],
    ['a script without ok', { run: 'true' }, { failed: end }, ['E status-unrouted graph/a']],
    [
      'a script with statuses of its own',
      { run: 'true', frontmatter: statusSchema('clean', 'findings', 'failed') },
      { clean: end, findings: end },
      ['W status-unrouted graph/a'],
    ],
    [
      'a script that says what it gives',
      { run: 'true', frontmatter: statusSchema('done') },
      { done: end },
      [],
    ],
    [
      'a script whose failing the schema forgets',
      { run: 'true', frontmatter: statusSchema('done') },
      { done: end, failed: end },
      ['W status-impossible graph/a/failed'],
    ],
  ])('compares statuses and edges: %s', (_name, role, edges, expected) => {
    expect(oneRole(role, edges)).toEqual(expected);
  });

  const prompts = (prompt: string, frontmatter: unknown, atStart = false, inputs: unknown = null) =>
    check({
      inputs,
      roles: { a: { frontmatter } },
      graph: {
        $START: start('a', atStart ? prompt : undefined),
        a: { _: { role: '$END', prompt: atStart ? undefined : prompt } },
      },
    });

  it('finds names in prompts that nobody provides', () => {
    const schema = { properties: { plan: {}, list: {} } };
    const codes = (...args: Parameters<typeof prompts>) =>
      prompts(...args).map(({ severity, code, path }) => `${severity} ${code} ${path.join('/')}`);
    const wrong = ['error unknown-variable graph/a/_/prompt'];
    expect(
      codes('{{{plan}}} {{{plan.title}}} {{#list}}{{any}}{{/list}} {{$status}}', schema),
    ).toEqual([]);
    expect(codes('{{{plam}}}', schema)).toEqual(wrong);
    expect(prompts('{{{plam}}}', schema)[0]?.fix).toBe('Did you mean {{{plan}}}?');
    expect(prompts('{{{prompt}}}', schema)[0]?.fix).toContain('{{{start.prompt}}}');
    expect(codes('{{{start.promt}}}', schema)).toEqual(wrong);
    expect(codes('{{{start.inputs.x}}}', schema)).toEqual(wrong);
    expect(prompts('{{{start.inputs.x}}}', schema)[0]).toMatchObject({
      message: '{{{start.inputs.x}}} would print nothing: $START does not provide it.',
      fix: 'Describe it in the properties of "inputs", or remove it.',
    });
    expect(codes('{{{start.inputs.x}}}', schema, false, { properties: { x: {} } })).toEqual([]);
    expect(codes('{{{any}}}', { ...schema, additionalProperties: true })).toEqual([]);
    expect(codes('{{{any}}}', null)).toEqual(['warning unknown-variable graph/a/_/prompt']);
    expect(codes('{{{threadId}}}', schema, true)).toEqual([
      'error unknown-variable graph/$START/_/prompt',
    ]);
    expect(codes('{{{constructor}}}', schema)).toEqual(wrong);
    expect(codes('{{#open}}', schema)).toEqual(['error prompt-syntax graph/a/_/prompt']);
    expect(codes('{{> part}}', schema)).toEqual(['error prompt-syntax graph/a/_/prompt']);
  });

  it('looks at the fields of the status that the edge is for', () => {
    const frontmatter = {
      oneOf: [
        { properties: { $status: { const: 'x' }, one: {} }, required: ['$status'] },
        { properties: { $status: { const: 'y' }, two: {} }, required: ['$status'] },
      ],
    };
    const edges = {
      x: { ...end, prompt: '{{one}} {{two}}' },
      y: { ...end, prompt: '{{one}} {{two}}' },
    };
    expect(oneRole({ frontmatter }, edges)).toEqual([
      'E unknown-variable graph/a/x/prompt',
      'E unknown-variable graph/a/y/prompt',
    ]);
  });

  it('knows the agents of the machine', () => {
    const file = {
      roles: { a: { agent: 'codre' }, b: { run: 'true', agent: 'x' } },
      graph: { $START: start('a'), a: { _: { role: 'b' } }, b: { ok: end, failed: end } },
    };
    expect(found(file, ['coder'])).toEqual([
      'E unknown-agent roles/a/agent',
      'W agent-unused roles/b/agent',
    ]);
    expect(check(file, ['coder'])[0]?.fix).toBe('Did you mean "coder"?');
    expect(found(file, null)).toEqual(['W agent-unused roles/b/agent']);
    expect(found(file, [])).toContain('E unknown-agent roles/a/agent');
  });

  it('finds rules that do not parse or are never asked', () => {
    const file = {
      roles: { a: {} },
      moderator: [
        { from: '$START', to: 'a' },
        { from: '$START', to: '$END', when: 'depth >' },
        { from: 'a', to: '$END' },
      ],
    };
    expect(found(file)).toEqual(['E rule-syntax moderator/1/when', 'W rule-hidden moderator/1']);
  });

  it('says of every finding what to do', () => {
    const file = {
      roles: { a: { agent: 'x' }, b: {}, c: { frontmatter: statusSchema('x') } },
      graph: { $START: start('c'), c: { y: { role: 'd', prompt: '{{q}}' } } },
    };
    for (const { message, fix } of check(file, [])) {
      expect(message).toMatch(/[.…]$/);
      expect(fix).toMatch(/[.?]$/);
      expect(`${message}${fix}`).not.toMatch(/undefined|null|__start__|__end__/);
    }
  });
});
