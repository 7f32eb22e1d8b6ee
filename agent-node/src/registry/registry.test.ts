import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openStore, type Store } from '../store/index.js';
import { builtinDefinition, builtinNames } from './builtins.js';
import { checkDefinitionText } from './definition-source.js';
import { loadVersion } from './load-version.js';
import {
  addDefinition,
  listWorkflows,
  registryRoots,
  removeWorkflow,
  rollbackWorkflow,
  showWorkflow,
  workflowHistory,
  workflowSource,
} from './registry.js';
import { readRegistry } from './registry-file.js';
import { resolveWorkflow } from './resolve-workflow.js';

let base: string;
let cwd: string;
let store: Store;
let now: number;
const clock = () => now++;

beforeEach(async () => {
  now = 1_000_000;
  base = await mkdtemp(join(tmpdir(), 'uwf-reg-'));
  cwd = join(base, 'project', 'deep');
  await mkdir(cwd, { recursive: true });
  await mkdir(join(base, 'project', '.git'));
  store = await openStore(join(base, 'root'), { clock });
});
afterEach(async () => {
  store.close();
  await rm(base, { recursive: true });
});

const workflow = (name: string, description = 'd') => `name: ${name}
description: ${description}
roles:
  hello: {run: echo hi}
graph:
  $START: {_: {role: hello, prompt: Go}}
  hello: {ok: {role: $END, prompt: done}, failed: {role: $END, prompt: bad}}
`;
const save = async (path: string, text: string) => {
  await mkdir(join(cwd, path, '..'), { recursive: true });
  await writeFile(join(cwd, path), text);
};
const add = async (name: string, description?: string) => {
  await save(`${name}.yaml`, workflow(name, description));
  return addDefinition(store, `${name}.yaml`, { cwd, clock });
};
const problemOf = async (attempt: Promise<unknown>) => {
  const failure: unknown = await attempt.then(
    () => new Error('did not fail'),
    (error: unknown) => error,
  );
  return failure as { code?: string; message: string };
};

describe('an empty root', () => {
  it('lists the built-ins, resolves them, and has no roots', async () => {
    const listed = await listWorkflows(store, { cwd });
    expect(listed.map((entry) => [entry.name, entry.origin])).toEqual(
      builtinNames().map((name) => [name, 'builtin']),
    );
    expect((await showWorkflow(store, 'demo', { cwd })).origin).toBe('builtin');
    expect(await registryRoots(store.root)).toEqual(new Set());
    expect(await workflowHistory(store, 'demo')).toHaveLength(1);
  });

  it('has built-ins that pass the check', async () => {
    for (const name of builtinNames()) {
      const { findings } = await checkDefinitionText(builtinDefinition(name)!.source, []);
      expect(findings).toEqual([]);
    }
  });

  it('names near names for an unknown workflow', async () => {
    const problem = await problemOf(resolveWorkflow(store, 'demoo', { cwd }));
    expect(problem.code).toBe('workflow-not-found');
    expect(problem.message).toContain('Did you mean "demo"?');
  });
});

describe('addDefinition', () => {
  it('registers, replaces, and says when nothing changed', async () => {
    const first = await add('greet', 'one');
    expect(first).toMatchObject({ name: 'greet', previous: null, change: 'added', findings: [] });
    expect(await add('greet', 'one')).toMatchObject({
      hash: first.hash,
      previous: first.hash,
      change: 'unchanged',
    });
    const second = await add('greet', 'two');
    expect(second).toMatchObject({ previous: first.hash, change: 'updated' });
    const versions = await workflowHistory(store, 'greet');
    expect(versions.map((version) => version.hash)).toEqual([second.hash, first.hash]);
    expect(versions[0]!.timestamp!).toBeGreaterThan(versions[1]!.timestamp!);
  });

  it('keeps the version but the newer text when only comments change', async () => {
    const first = await add('greet');
    await save('greet.yaml', `# explained\n${workflow('greet')}`);
    const again = await addDefinition(store, 'greet.yaml', { cwd, clock });
    expect(again).toMatchObject({ hash: first.hash, change: 'unchanged' });
    const shown = await showWorkflow(store, 'greet', { cwd });
    expect(await workflowSource(store, shown)).toContain('# explained');
    expect(shown.history).toEqual([]);
  });

  it('stores nothing and registers nothing when the file is wrong', async () => {
    await save('bad.yaml', workflow('bad').replace('role: hello', 'role: helo'));
    expect((await problemOf(addDefinition(store, 'bad.yaml', { cwd, clock }))).code).toBe(
      'invalid-definition',
    );
    expect(store.nodes.list({ limit: 10 })).toEqual([]);
    expect((await readRegistry(store.root)).entries.size).toBe(0);
  });

  it('takes the name only when it is the one in the file', async () => {
    await save('greet.yaml', workflow('greet'));
    expect(await addDefinition(store, 'greet.yaml', { name: 'greet', cwd, clock })).toMatchObject({
      name: 'greet',
    });
    const problem = await problemOf(
      addDefinition(store, 'greet.yaml', { name: 'other', cwd, clock }),
    );
    expect(problem).toMatchObject({ code: 'invalid-argument' });
    expect(problem.message).toContain('"greet", not "other"');
  });

  it('leaves a broken registry as it is', async () => {
    await writeFile(join(store.root, 'workflow.yaml'), '{');
    expect((await problemOf(add('greet'))).code).toBe('invalid-config');
    expect(await readFile(join(store.root, 'workflow.yaml'), 'utf8')).toBe('{');
  });

  it('says that bundles are not supported yet', async () => {
    expect((await problemOf(addDefinition(store, 'x.esm.js', { cwd, clock }))).code).toBe(
      'unsupported-kind',
    );
  });

  it('tells others that the workflow changed', async () => {
    const { hash } = await add('greet');
    const events = store.events.after({ seq: 0, limit: 10 });
    expect(events.map(({ type, data }) => ({ type, data }))).toEqual([
      { type: 'workflow.changed', data: { name: 'greet', hash } },
    ]);
  });
});

describe('rollbackWorkflow', () => {
  it('goes back one, and back again undoes it', async () => {
    const [a, b, c] = [await add('greet', 'a'), await add('greet', 'b'), await add('greet', 'c')];
    expect(await rollbackWorkflow(store, 'greet')).toEqual({
      name: 'greet',
      hash: b.hash,
      previous: c.hash,
    });
    const hashes = (await workflowHistory(store, 'greet')).map((version) => version.hash);
    expect(hashes).toEqual([b.hash, c.hash, a.hash]);
    expect((await rollbackWorkflow(store, 'greet')).hash).toBe(c.hash);
  });

  it('goes to a given version of the history', async () => {
    const [a, b, c] = [await add('greet', 'a'), await add('greet', 'b'), await add('greet', 'c')];
    await rollbackWorkflow(store, 'greet', a.hash);
    const hashes = (await workflowHistory(store, 'greet')).map((version) => version.hash);
    expect(hashes).toEqual([a.hash, c.hash, b.hash]);
  });

  it('fails without an earlier version, for an unknown one, and for one that is gone from the store', async () => {
    const a = await add('greet', 'a');
    expect((await problemOf(rollbackWorkflow(store, 'greet'))).code).toBe('version-not-found');
    expect((await problemOf(rollbackWorkflow(store, 'greet', a.hash))).message).toContain(
      'already the current version',
    );
    expect((await problemOf(rollbackWorkflow(store, 'greet', '0000000000000'))).code).toBe(
      'version-not-found',
    );
    await add('greet', 'b');
    store.write('full', () => store.nodes.remove(a.hash, []));
    const problem = await problemOf(rollbackWorkflow(store, 'greet'));
    expect(problem.message).toContain('no longer in the store');
  });

  it('keeps config and comments of the file', async () => {
    await writeFile(join(store.root, 'workflow.yaml'), '# mine\nconfig:\n  maxDepth: 2 # low\n');
    await add('greet', 'a');
    await add('greet', 'b');
    await rollbackWorkflow(store, 'greet');
    expect(await readFile(join(store.root, 'workflow.yaml'), 'utf8')).toMatch(
      /^# mine\nconfig:\n {2}maxDepth: 2 # low\n/,
    );
  });
});

describe('removeWorkflow', () => {
  it('takes the name away and nothing else', async () => {
    const { hash } = await add('greet');
    await add('other');
    await removeWorkflow(store, 'greet');
    expect((await problemOf(resolveWorkflow(store, 'greet', { cwd }))).code).toBe(
      'workflow-not-found',
    );
    expect((await resolveWorkflow(store, 'other', { cwd })).origin).toBe('registry');
    expect(store.nodes.has(hash)).toBe(true);
  });

  it('refuses built-ins, but removes what was registered under their name', async () => {
    expect((await problemOf(removeWorkflow(store, 'demo'))).code).toBe('builtin-workflow');
    await add('demo');
    expect((await resolveWorkflow(store, 'demo', { cwd })).origin).toBe('registry');
    await removeWorkflow(store, 'demo');
    expect((await resolveWorkflow(store, 'demo', { cwd })).origin).toBe('builtin');
  });

  it('says what is not there', async () => {
    await add('greet');
    const problem = await problemOf(removeWorkflow(store, 'gret'));
    expect(problem).toMatchObject({ code: 'workflow-not-found' });
    expect(problem.message).toContain('"greet"');
  });
});

describe('resolveWorkflow', () => {
  it('prefers the nearest project file, then the registry, then the built-ins', async () => {
    await add('greet', 'registered');
    expect(await resolveWorkflow(store, 'greet', { cwd })).toMatchObject({
      origin: 'registry',
      kind: 'definition',
    });
    await save('../.workflows/greet.yml', workflow('greet', 'outer'));
    expect((await resolveWorkflow(store, 'greet', { cwd })).definition?.description).toBe('outer');
    await save(
      '.workflows/greet.json',
      JSON.stringify({
        name: 'greet',
        description: 'inner',
        roles: { a: { run: 'true' } },
        graph: {
          $START: { _: { role: 'a' } },
          a: { ok: { role: '$END' }, failed: { role: '$END' } },
        },
      }),
    );
    const found = await resolveWorkflow(store, 'greet', { cwd });
    expect(found).toMatchObject({
      origin: 'project',
      name: 'greet',
      path: join(cwd, '.workflows/greet.json'),
    });
    expect(found.definition?.description).toBe('inner');
    const listed = (await listWorkflows(store, { cwd })).find((entry) => entry.name === 'greet');
    expect(listed).toMatchObject({ origin: 'project', hash: found.version });
  });

  it('does not look above the repository', async () => {
    await save('../../.workflows/greet.yaml', workflow('greet'));
    expect((await problemOf(resolveWorkflow(store, 'greet', { cwd }))).code).toBe(
      'workflow-not-found',
    );
  });

  it('stores a file that is run by its path, without registering it', async () => {
    await save('mine.yaml', workflow('greet'));
    const found = await resolveWorkflow(store, './mine.yaml', { cwd });
    expect(found).toMatchObject({ origin: 'file', name: 'greet', path: join(cwd, 'mine.yaml') });
    expect(store.nodes.get(found.version)?.type).toBe('definition');
    expect((await readRegistry(store.root)).entries.size).toBe(0);
    expect(await resolveWorkflow(store, 'mine.yaml', { cwd })).toEqual(found);
    expect(await resolveWorkflow(store, found.version, { cwd })).toMatchObject({
      origin: 'version',
      version: found.version,
    });
  });

  it('refuses a project file that calls itself something else', async () => {
    await save('.workflows/greet.yaml', workflow('hello'));
    const problem = await problemOf(resolveWorkflow(store, 'greet', { cwd }));
    expect(problem.message).toContain('says name: "hello"');
  });

  it('lists a broken project file with its reason, and refuses to run it', async () => {
    await save('.workflows/greet.yaml', 'name: greet\nroles: [');
    const entry = (await listWorkflows(store, { cwd })).find(({ name }) => name === 'greet');
    expect(entry).toMatchObject({ hash: null, origin: 'project' });
    expect(entry?.problem).toContain('greet.yaml:2:');
    expect((await problemOf(resolveWorkflow(store, 'greet', { cwd }))).code).toBe(
      'invalid-definition',
    );
  });

  it.each([
    ['', 'invalid-id'],
    ['Not_A_Name', 'invalid-id'],
    ['x'.repeat(10_000), 'invalid-id'],
    ['__proto__', 'invalid-id'],
    ['../x', 'file-not-found'],
    ['./absent.yaml', 'file-not-found'],
    ['/etc', 'invalid-argument'],
    ['x.esm.js', 'unsupported-kind'],
    ['constructor', 'workflow-not-found'],
    ['0000000000000', 'version-not-found'],
  ])('answers %j with a short problem', async (text, code) => {
    const problem = await problemOf(resolveWorkflow(store, text, { cwd }));
    expect(problem.code).toBe(code);
    expect(problem.message.length).toBeLessThan(300);
  });
});

describe('loadVersion', () => {
  it('loads what a thread is pinned to, whatever the name means by now', async () => {
    const { hash } = await add('greet', 'a');
    await add('greet', 'b');
    const loaded = await loadVersion(store, { kind: 'definition', version: hash, name: 'greet' });
    expect(loaded).toMatchObject({ name: 'greet', kind: 'definition', version: hash });
    expect(loaded.definition?.description).toBe('a');
    expect(typeof loaded.run).toBe('function');
  });

  it('refuses bundles and unknown versions', async () => {
    const wanted = { version: '0000000000000', name: 'x' };
    expect((await problemOf(loadVersion(store, { ...wanted, kind: 'bundle' }))).code).toBe(
      'unsupported-kind',
    );
    expect((await problemOf(loadVersion(store, { ...wanted, kind: 'definition' }))).code).toBe(
      'version-not-found',
    );
  });
});

describe('registryRoots', () => {
  it('names versions, history and source texts', async () => {
    const [a, b] = [await add('greet', 'a'), await add('greet', 'b')];
    const roots = await registryRoots(store.root);
    expect(roots.size).toBe(4);
    expect(roots.has(a.hash) && roots.has(b.hash)).toBe(true);
  });
});
