import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { definitionSchema, type Finding, parseDefinitionFile } from './index.js';

const minimal = {
  name: 'ship-it',
  roles: { build: { run: 'make' } },
  graph: { $START: { _: { role: 'build' } }, build: { ok: { role: '$END', prompt: 'Done' } } },
};

const found = (raw: unknown) =>
  parseDefinitionFile(raw).findings.map(({ code, path }) => `${code} ${path.join('/')}`);

const only = (raw: unknown): Finding => {
  const { definition, findings } = parseDefinitionFile(raw);
  expect(definition).toBeNull();
  expect(findings).toHaveLength(1);
  return findings[0] as Finding;
};

const withRole = (role: unknown) => ({ ...minimal, roles: { build: role } });

describe('parseDefinitionFile', () => {
  it('fills absent fields with null and says the sentinels as everything else does', () => {
    const { definition, findings } = parseDefinitionFile(minimal);
    expect(findings).toEqual([]);
    expect(definition).toEqual({
      name: 'ship-it',
      description: null,
      inputs: null,
      maxSteps: null,
      budget: null,
      roles: {
        build: {
          description: null,
          goal: null,
          capabilities: null,
          procedure: null,
          output: null,
          frontmatter: null,
          run: 'make',
          agent: null,
          timeout: null,
          retry: null,
          maxVisits: null,
          workspace: null,
        },
      },
      graph: {
        __start__: { _: { role: 'build', prompt: null } },
        build: { ok: { role: '__end__', prompt: 'Done' } },
      },
      moderator: null,
    });
    expect(definitionSchema.safeParse(definition).success).toBe(true);
  });

  it('takes every field', () => {
    const { definition, findings } = parseDefinitionFile({
      ...minimal,
      description: 'd',
      inputs: { type: 'object' },
      maxSteps: 9,
      budget: { tokens: 5, usd: 0.5 },
      roles: {
        build: {
          description: 'd',
          goal: 'g',
          capabilities: ['c'],
          procedure: 'p',
          output: 'o',
          frontmatter: { type: 'object' },
          agent: 'coder',
          timeout: '90s',
          retry: { maxAttempts: 3, backoff: '500ms' },
          maxVisits: 2,
          workspace: { worktree: true },
        },
      },
    });
    expect(findings).toEqual([]);
    expect(definition?.budget).toEqual({ tokens: 5, usd: 0.5 });
    expect(definition?.roles.build).toMatchObject({
      timeout: 90_000,
      retry: { maxAttempts: 3, backoff: 500 },
      workspace: { worktree: true },
    });
  });

  it('takes ordered rules', () => {
    const { definition, findings } = parseDefinitionFile({
      name: 'by-rules',
      roles: { a: {} },
      moderator: [
        { from: '$START', to: 'a' },
        { from: 'a', to: '$END', when: 'true', prompt: 'x' },
      ],
    });
    expect(findings).toEqual([]);
    expect(definition?.moderator).toEqual([
      { from: '__start__', to: 'a', when: null, prompt: null },
      { from: 'a', to: '__end__', when: 'true', prompt: 'x' },
    ]);
  });

  it('ignores x-… keys where keys are fixed, and only there', () => {
    const { definition, findings } = parseDefinitionFile({
      ...minimal,
      'x-note': 1,
      roles: {
        build: { run: 'make', 'x-note': 1, retry: { 'x-note': 1 }, frontmatter: { 'x-ui': 1 } },
        'x-ray': { run: 'true' },
      },
    });
    expect(findings).toEqual([]);
    expect(Object.keys(definition?.roles ?? {})).toEqual(['build', 'x-ray']);
    expect(definition?.roles.build).not.toHaveProperty('x-note');
    expect(definition?.roles.build?.frontmatter).toEqual({ 'x-ui': 1 });
  });

  it('gives the same definition for maps, objects without prototype and other orders of keys', () => {
    const asMap = (value: unknown): unknown =>
      typeof value === 'object' && value !== null
        ? new Map(Object.entries(value).map(([key, item]) => [key, asMap(item)]))
        : value;
    const bare = Object.assign(Object.create(null), minimal);
    const reversed = Object.fromEntries(Object.entries(minimal).reverse());
    for (const raw of [asMap(minimal), bare, reversed]) {
      expect(parseDefinitionFile(raw)).toEqual(parseDefinitionFile(minimal));
    }
  });

  it.each([
    [{ goall: 'x' }, 'Did you mean "goal"?'],
    [{ systemPrompt: 'x' }, 'Did you mean "procedure"?'],
    [{ schema: {} }, 'Did you mean "frontmatter"?'],
    [{ zzzzzzzz: 1 }, 'Known here: description, goal'],
    [{ retry: { maxAttempt: 1 } }, 'Did you mean "maxAttempts"?'],
    [{ timeout: '90' }, '500ms, 90s, 10m, 2h'],
    [{ timeout: 90 }, 'with its unit'],
    [{ timeout: '0s' }, '90s'],
    [{ timeout: '1000h' }, '24 days'],
    [{ capabilities: 'x' }, 'one item per line'],
    [{ maxVisits: 1.5 }, 'whole number'],
    [{ maxVisits: 0 }, 'whole number'],
    [{ run: ' \n' }, 'Write a command'],
    [{ run: 'x'.repeat(65_537) }, 'file of the repository'],
    [{ run: 'a\0b' }, 'Remove it'],
    [{ frontmatter: [] }, 'key: value'],
    [{ goal: true }, 'Put it in quotes'],
    [{ agent: '../x' }, 'Start with a letter'],
  ])('says what is wrong with role %j', (role, fix) => {
    const finding = only(withRole(role));
    expect(finding.fix).toContain(fix);
    expect(finding.path.slice(0, 2)).toEqual(['roles', 'build']);
    expect(finding.severity).toBe('error');
  });

  it.each([
    ['Solve_Issue', 'invalid-name'],
    ['a'.repeat(64), 'invalid-name'],
    [7, 'wrong-type'],
    [null, 'missing-field'],
  ])('refuses the name %s', (name, code) => {
    expect(found({ ...minimal, name })).toEqual([`${code} name`]);
  });

  it('refuses the inner sentinels and points to the outer ones', () => {
    const graph = { $START: { _: { role: '__end__' } }, __start__: { _: { role: 'build' } } };
    expect(found({ ...minimal, graph })).toEqual(['invalid-name graph/__start__']);
    const edge = only({ ...minimal, graph: { $START: { _: { role: '__end__' } } } });
    expect(edge).toMatchObject({ code: 'wrong-sentinel', path: ['graph', '$START', '_', 'role'] });
    expect(edge.fix).toContain('$END');
    expect(only({ ...minimal, graph: { $Start: { _: { role: 'build' } } } }).fix).toContain(
      '$START',
    );
  });

  it('is not led astray by names that objects have of their own', () => {
    const raw = JSON.parse(`{"name": "odd", "roles": {"constructor": {"run": "true"},
      "toString": {"frontmatter": {"__proto__": {"polluted": true}}}},
      "graph": {"$START": {"_": {"role": "constructor"}}, "constructor": {"valueOf": {"role": "$END"}}}}`);
    const { definition, findings } = parseDefinitionFile(raw);
    expect(findings).toEqual([]);
    expect(Object.keys(definition?.roles ?? {})).toEqual(['constructor', 'toString']);
    expect(JSON.stringify(definition?.roles.toString)).toContain('"__proto__":{"polluted":true}');
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    for (const text of [
      '{"name":"odd","roles":{"__proto__":{"run":"true"}}}',
      '{"name":"odd","roles":{},"graph":{"__proto__":{}}}',
      '{"name":"odd","roles":{},"graph":{"a":{"__proto__":{"role":"a"}}}}',
    ]) {
      expect(found(JSON.parse(text))[0]).toMatch(/^invalid-name .*__proto__$/);
    }
    const own = parseDefinitionFile(JSON.parse('{"name":"odd","roles":{},"__proto__":1}'));
    expect(own.findings.map(({ code }) => code)).toEqual(['unknown-key']);
  });

  it('stops at what no JSON can hold', () => {
    const circle: Record<string, unknown> = { ...minimal };
    circle.inputs = circle;
    expect(only(circle).code).toBe('too-deep');
    let bomb: unknown = 'x';
    for (let level = 0; level < 40; level += 1) bomb = [bomb, bomb, bomb];
    expect(only({ ...minimal, inputs: bomb }).code).toBe('too-large');
    expect(only({ ...minimal, inputs: { at: new Date(0) } }).code).toBe('not-json');
    expect(only({ ...minimal, inputs: { at: Number.NaN } }).code).toBe('not-json');
  });

  it('finds several faults at once, one per place', () => {
    expect(found({ nam: 'x', roles: { 'a b': {}, c: { goall: 1, timeout: 'x' } } }).sort()).toEqual(
      [
        'invalid-duration roles/c/timeout',
        'invalid-name roles/a b',
        'missing-field name',
        'unknown-key nam',
        'unknown-key roles/c/goall',
      ],
    );
  });

  it('never throws, and has a definition exactly when nothing is wrong', () => {
    const leaf = fc.oneof(fc.string(), fc.integer(), fc.constant(null), fc.boolean());
    const key = fc.constantFrom(
      'name',
      'roles',
      'graph',
      'moderator',
      'budget',
      'run',
      'retry',
      '_',
      '$START',
      '__proto__',
      'a',
    );
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 5 },
        leaf,
        fc.array(tie('tree'), { maxLength: 3 }),
        fc.array(fc.tuple(key, tie('tree')), { maxLength: 5 }).map((entries) => new Map(entries)),
      ),
    }));
    fc.assert(
      fc.property(tree, fc.boolean(), (raw, inside) => {
        const whole = inside ? { ...minimal, roles: { a: raw }, graph: raw } : raw;
        const { definition, findings } = parseDefinitionFile(whole);
        expect(definition === null).toBe(findings.length > 0);
        if (definition !== null) expect(definitionSchema.safeParse(definition).success).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});
