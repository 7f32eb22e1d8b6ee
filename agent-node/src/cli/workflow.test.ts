import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { workflowDetailSchema, workflowEntrySchema } from '@uncaged/protocol/api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { runForTest } from './testing.js';

let base: string;
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'uwf-wf-'));
});
afterEach(() => rm(base, { recursive: true }));
const uwf = (...argv: string[]) => runForTest(argv, { root: join(base, 'root'), cwd: base });
const save = (name: string, text: string) => writeFile(join(base, name), text);

const GREET = `name: greet
description: says hello
roles:
  hello: {run: echo hi}
graph:
  $START: {_: {role: hello, prompt: Go}}
  hello: {ok: {role: $END, prompt: done}, failed: {role: $END, prompt: bad}}
`;

describe('uwf workflow', () => {
  it('adds, lists, shows, goes back and removes', async () => {
    await save('greet.yaml', GREET);
    const added = await uwf('workflow', 'add', 'greet.yaml');
    const first = /^added workflow "greet" ([0-9A-Z]{13})\n$/.exec(added.out)?.[1];
    expect(first).toBeDefined();
    expect((await uwf('workflow', 'add', 'greet', 'greet.yaml')).out).toBe(
      `unchanged: workflow "greet" is already ${first}\n`,
    );
    await save('greet.yaml', GREET.replace('says hello', 'says more'));
    expect((await uwf('workflow', 'add', 'greet.yaml')).out).toMatch(
      new RegExp(`^updated workflow "greet" [0-9A-Z]{13} \\(was ${first}\\)\n$`),
    );
    const listed = (await uwf('workflow', 'list')).out.split('\n');
    expect(listed[0]).toMatch(/^NAME +VERSION +FROM +REGISTERED +DESCRIPTION$/);
    expect(listed.find((line) => line.startsWith('greet '))).toContain('says more');

    const glance = (await uwf('workflow', 'show', 'greet')).out;
    expect(glance).toContain('$START\n    → hello\nhello  script\n    → $END when failed, ok\n');
    expect(glance).toContain(`earlier versions: ${first} (`);
    const yaml = (await uwf('workflow', 'show', 'greet', '--format', 'yaml')).out;
    const shown = parse(yaml) as Record<string, unknown>;
    expect(shown).toMatchObject({
      name: 'greet',
      from: 'registry',
      roles: { hello: { run: 'echo hi' } },
    });
    expect(shown.edges).toContainEqual({
      from: 'hello',
      to: '__end__',
      condition: 'ok',
      prompt: 'done',
    });
    expect(shown.history).toEqual([{ hash: first, registered: expect.any(String) as string }]);
    expect((await uwf('workflow', 'show', 'greet', '--source')).out).toContain('says more');

    const rolled = await uwf('workflow', 'rollback', 'greet', first!.slice(0, 7).toLowerCase());
    expect(rolled).toMatchObject({ code: 0, out: 'rolled back workflow "greet"\n' });
    expect((await uwf('workflow', 'history', 'greet')).out).toContain(`* ${' '}${first}`);
    expect((await uwf('workflow', 'remove', 'greet')).out).toBe(
      'removed workflow "greet" from registry\n',
    );
    expect((await uwf('workflow', 'show', 'greet')).code).toBe(3);
  });

  it('gives one JSON document for each', async () => {
    await save('greet.yaml', GREET);
    for (const argv of [
      ['add', 'greet.yaml'],
      ['list'],
      ['show', 'greet'],
      ['history', 'greet'],
      ['check', 'greet.yaml'],
      ['schema'],
      ['rm', 'greet'],
    ]) {
      const { code, out, err } = await uwf('workflow', ...argv, '--json');
      expect({ argv, code, err }).toEqual({ argv, code: 0, err: '' });
      expect(JSON.parse(out)).toBeTypeOf('object');
    }
  });

  it('gives lists and details in the form of the API', async () => {
    await save('greet.yaml', GREET);
    await uwf('workflow', 'add', 'greet.yaml');
    const { items } = JSON.parse((await uwf('workflow', 'list', '--json')).out) as {
      items: unknown[];
    };
    for (const item of items) workflowEntrySchema.parse(item);
    const detail = workflowDetailSchema.parse(
      JSON.parse((await uwf('workflow', 'show', 'greet', '--json')).out),
    );
    expect(detail.descriptor.roles.hello).toBeDefined();
    expect(detail.descriptor.graph.edges.map((edge) => edge.to)).toContain('__end__');
  });

  it('checks a file without needing or making a store', async () => {
    await save(
      'greet.yaml',
      GREET.replace('role: hello', 'role: helo').replace(
        'description: says',
        '\tdescription: says',
      ),
    );
    const broken = await uwf('workflow', 'check', 'greet.yaml');
    expect(broken).toMatchObject({ code: 2, err: '' });
    expect(broken.out).toMatch(/^greet\.yaml:2:1: error: /m);
    await save('greet.yaml', GREET.replace('role: hello', 'role: helo'));
    const wrong = await uwf('workflow', 'check', 'greet.yaml');
    expect(wrong.out).toMatch(/^greet\.yaml:6:\d+: error: .*helo.*\n {4}\S/m);
    expect(wrong.out).toMatch(/\d errors?/);
    await save('greet.yaml', GREET);
    expect(await uwf('workflow', 'check', 'greet.yaml')).toEqual({
      code: 0,
      out: 'greet.yaml: no findings\n',
      err: '',
    });
    expect(await readdir(base)).toEqual(['greet.yaml']);
  });

  it('exits 0 from a check with warnings only', async () => {
    await save('greet.yaml', GREET.replace(', failed: {role: $END, prompt: bad}', ''));
    const { code, out } = await uwf('workflow', 'check', 'greet.yaml');
    expect(out).toContain(': warning: ');
    expect(out).toContain('1 warning');
    expect(code).toBe(0);
  });

  it('lists every error of a file it does not register', async () => {
    await save('greet.yaml', `${GREET}nonsense: 1\nname: twice\n`);
    const { code, out, err } = await uwf('workflow', 'add', 'greet.yaml');
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain('greet.yaml:9:1: error: ');
    const asJson = JSON.parse((await uwf('workflow', 'add', 'greet.yaml', '--json')).err) as {
      errors: unknown[];
    };
    expect(asJson.errors).toContainEqual(
      expect.objectContaining({ line: 9, column: 1, severity: 'error' }),
    );
  });

  it('describes workflow files for editors', async () => {
    const schema = JSON.parse((await uwf('workflow', 'schema')).out) as Record<string, unknown>;
    expect(schema).toMatchObject({
      type: 'object',
      properties: { roles: expect.anything() as unknown },
    });
  });

  it.each([
    [['show', 'nothing-here'], 3],
    [['show', '../x'], 3],
    [['show', ''], 2],
    [['show', 'x'.repeat(10_000)], 2],
    [['rm', 'demo'], 4],
    [['rollback', 'demo'], 4],
    [['history', 'nothing-here'], 3],
    [['check', 'absent.yaml'], 3],
    [['add', 'x.esm.js'], 2],
    [['add', 'a', 'b', 'c'], 2],
    [['show', 'demo', '--format', 'xml'], 2],
  ])('answers %j with exit code %d and a short error', async (argv, expected) => {
    const { code, out, err } = await uwf('workflow', ...argv);
    expect({ code, out }).toEqual({ code: expected, out: '' });
    expect(err).toMatch(/^error: /);
    expect(err.length).toBeLessThan(400);
  });

  it('names file, line and column of a broken registry, and leaves it', async () => {
    await uwf('cas', 'list');
    await writeFile(join(base, 'root', 'workflow.yaml'), 'workflows:\n\ta: 1\n');
    const { code, err } = await uwf('workflow', 'list');
    expect(code).toBe(2);
    expect(err).toContain(`${join(base, 'root', 'workflow.yaml')}:2:1: `);
  });
});
