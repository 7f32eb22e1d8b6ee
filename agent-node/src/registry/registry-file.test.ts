import { spawn } from 'node:child_process';
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isProblem } from '@uncaged/protocol/problem';
import { build } from 'esbuild';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { acquireLock } from '../store/index.js';
import type { RegistryEntry, RegistryVersion } from './registry-entry.js';
import { editRegistry, readRegistry } from './registry-file.js';

let root: string;
let file: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'uwf-registry-'));
  file = join(root, 'workflow.yaml');
});
afterEach(() => rm(root, { recursive: true }));

const version = (n: number): RegistryVersion => ({
  hash: `${n}`.padStart(12, '0').concat('0'),
  kind: 'definition',
  timestamp: 1000 + n,
  source: null,
});
const entry = (n: number, history: RegistryVersion[] = []): RegistryEntry => ({
  ...version(n),
  history,
});
const put = (name: string, value: RegistryEntry) =>
  editRegistry(root, (edit) => edit.set(name, value));

describe('readRegistry', () => {
  it.each([
    ['no file', null],
    ['an empty file', ''],
    ['only comments', '# mine\n'],
    ['empty sections', 'config:\nworkflows:\n'],
    ['empty maps', 'config: {}\nworkflows: {}\n'],
  ])('takes %s as a registry without entries', async (_, text) => {
    if (text !== null) await writeFile(file, text);
    expect((await readRegistry(root)).entries.size).toBe(0);
  });

  it.each([
    ['NUL bytes', '\0\0\0', '1:1'],
    ['an open brace', '{', '1:2'],
    ['a list', '- a\n', '1:1'],
    ['a duplicate name', 'workflows:\n  a: {}\n  a: {}\n', '3:3'],
    ['an entry without a hash', 'workflows:\n  a:\n    kind: definition\n', '2:3'],
    [
      'a hash that is none',
      'workflows:\n  a:\n    kind: definition\n    hash: xyz\n    timestamp: 1\n',
      '4:5',
    ],
    ['a name that is none', 'workflows:\n  ok: {}\n  Not_A_Name: {}\n', '3:3'],
    ['bytes that are not UTF-8', Buffer.from([0x61, 0x3a, 0x20, 0xff]), '1:1'],
  ])('refuses %s with its position and leaves the file alone', async (_, text, position) => {
    await writeFile(file, text);
    for (const attempt of [() => readRegistry(root), () => put('b', entry(1))]) {
      const failure: unknown = await attempt().catch((error: unknown) => error);
      expect(isProblem(failure, 'invalid-config')).toBe(true);
      expect((failure as Error).message).toContain(`workflow.yaml:${position}: `);
    }
    expect(await readFile(file)).toEqual(Buffer.from(text as string));
  });

  it('reads hashes that YAML takes for numbers', async () => {
    const rest = 'kind: definition, timestamp: 1';
    await writeFile(
      file,
      `workflows:\n  a: {hash: 12E4567890120, ${rest}, source: 0123456789010, history: [{hash: 1111111111110, ${rest}}]}\n`,
    );
    const found = (await readRegistry(root)).entries.get('a');
    expect(found).toMatchObject({ hash: '12E4567890120', source: '0123456789010' });
    expect(found?.history[0]?.hash).toBe('1111111111110');
  });
});

describe('editRegistry', () => {
  it('keeps comments, order and the config of a file that a person writes too', async () => {
    await writeFile(
      file,
      `# my registry

config:
  maxDepth: 3 # deep enough
  models:
    # the cheap one
    default: stub/m

workflows:
  # used every day
  b-two:
    hash: "0000000000010" # pinned
    kind: definition
    timestamp: 1
  a-one: # first
    hash: "0000000000020"
    kind: definition
    timestamp: 2
`,
    );
    await put('b-two', entry(3, [version(1)]));
    await put('c-three', entry(4));
    const text = await readFile(file, 'utf8');
    for (const comment of [
      '# my registry',
      '# deep enough',
      '# the cheap one',
      '# used every day',
      '# pinned',
      '# first',
    ]) {
      expect(text).toContain(comment);
    }
    expect(text).toContain('maxDepth: 3 # deep enough');
    expect([...(await readRegistry(root)).entries.keys()]).toEqual(['b-two', 'a-one', 'c-three']);
    expect((await readRegistry(root)).entries.get('b-two')).toMatchObject({
      hash: entry(3).hash,
      timestamp: 1003,
    });
  });

  it('grows `workflows: {}` as a block', async () => {
    await writeFile(file, 'workflows: {} # none yet\n');
    await put('a', entry(1));
    expect(await readFile(file, 'utf8')).toContain('  a:\n    hash: "0000000000010"\n');
  });

  it('writes nothing when the edit changes nothing or throws', async () => {
    await writeFile(file, 'workflows: {}   # odd   spacing\n');
    await editRegistry(root, () => 1);
    await expect(
      editRegistry(root, (edit) => {
        edit.set('a', entry(1));
        throw new Error('no');
      }),
    ).rejects.toThrow('no');
    expect(await readFile(file, 'utf8')).toBe('workflows: {}   # odd   spacing\n');
    expect((await readdir(root)).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it('makes a missing root and a file for its owner only', async () => {
    const deep = join(root, 'x', 'y');
    await editRegistry(deep, (edit) => edit.set('a', entry(1)));
    expect((await stat(join(deep, 'workflow.yaml'))).mode & 0o777).toBe(0o600);
    expect((await stat(deep)).mode & 0o777).toBe(0o700);
  });

  it('keeps the mode of the file, CRLF line ends, and a link to elsewhere', async () => {
    const target = join(root, 'dotfiles');
    await mkdir(target);
    await writeFile(join(target, 'w.yaml'), '# a\r\nworkflows: {}\r\n');
    await chmod(join(target, 'w.yaml'), 0o640);
    await symlink(join(target, 'w.yaml'), file);
    await put('a', entry(1));
    const text = await readFile(join(target, 'w.yaml'), 'utf8');
    expect(text.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
    expect((await stat(join(target, 'w.yaml'))).mode & 0o777).toBe(0o640);
    expect((await readRegistry(root)).entries.size).toBe(1);
  });

  it('begins again when an editor without the lock saves meanwhile', async () => {
    await put('a', entry(1));
    let edits = 0;
    const { writeFileSync, readFileSync } = await import('node:fs');
    await editRegistry(root, (edit) => {
      edits++;
      if (edits === 1) writeFileSync(file, `${readFileSync(file, 'utf8')}# saved by hand\n`);
      edit.set('b', entry(2));
    });
    expect(edits).toBe(2);
    const text = await readFile(file, 'utf8');
    expect(text).toContain('# saved by hand');
    expect([...(await readRegistry(root)).entries.keys()]).toEqual(['a', 'b']);
  });

  it('gives up with registry-locked when the lock stays taken', async () => {
    const lock = await acquireLock(join(root, 'registry.lock'));
    try {
      const attempt = editRegistry(root, (edit) => edit.set('a', entry(1)), {
        waitMs: 60,
        retryMs: 5,
      });
      await expect(attempt).rejects.toMatchObject({ code: 'registry-locked' });
    } finally {
      lock.release();
    }
    await put('a', entry(1));
  });

  it('holds what any sequence of edits says', async () => {
    const names = fc.constantFrom('a', 'b', 'c-d', 'constructor', 'on', 'null', 'e1');
    const edit = fc.record({ name: names, n: fc.nat(999), remove: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(edit, { maxLength: 8 }), async (edits) => {
        await rm(file, { force: true });
        const model = new Map<string, RegistryEntry>();
        for (const { name, n, remove } of edits) {
          await editRegistry(root, (registry) => {
            expect([...registry.entries.keys()].sort()).toEqual([...model.keys()].sort());
            if (remove) registry.delete(name);
            else registry.set(name, entry(n, [version(n + 1)]));
          });
          if (remove) model.delete(name);
          else model.set(name, entry(n, [version(n + 1)]));
        }
        expect(new Map([...(await readRegistry(root)).entries])).toEqual(model);
      }),
      { numRuns: 40 },
    );
  });
});

describe('edits of several processes at once', () => {
  // Beside node_modules, so that the native module is found.
  const directory = fileURLToPath(new URL('../../dist/test-programs/', import.meta.url));
  const program = join(directory, `registry-edits-${process.pid}.mjs`);

  beforeAll(async () => {
    await build({
      stdin: {
        contents: `
          import { editRegistry } from './registry-file.js';
          const [root, prefix, count] = process.argv.slice(2);
          for (let n = 0; n < Number(count); n++) {
            await editRegistry(root, (edit) => {
              const shared = edit.entries.get('shared');
              const version = { hash: '000000000000' + '0', kind: 'definition', timestamp: n, source: null };
              edit.set(prefix + '-n' + n, { ...version, history: [] });
              edit.set('shared', { ...version, timestamp: (shared?.timestamp ?? 0) + 1, history: [] });
            });
          }`,
        resolveDir: fileURLToPath(new URL('.', import.meta.url)),
      },
      outfile: program,
      bundle: true,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      conditions: ['source'],
      external: ['better-sqlite3'],
      banner: {
        js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
      },
    });
  });
  afterAll(() => rm(program, { force: true }));

  const run = (prefix: string, count: number) => {
    const child = spawn(process.execPath, [program, root, prefix, String(count)], {
      stdio: 'inherit',
    });
    return { child, ended: new Promise<number | null>((resolve) => child.on('exit', resolve)) };
  };

  it('never loses one', async () => {
    const codes = await Promise.all(['a', 'b', 'c', 'd'].map((prefix) => run(prefix, 6).ended));
    expect(codes).toEqual([0, 0, 0, 0]);
    const { entries } = await readRegistry(root);
    expect(entries.size).toBe(4 * 6 + 1);
    expect(entries.get('shared')?.timestamp).toBe(4 * 6);
  });

  it('leaves a whole file and a free lock when one is killed in the middle', async () => {
    for (let round = 0; round < 3; round++) {
      const { child, ended } = run(`r${round}`, 10_000);
      const before = (await readRegistry(root)).entries.size;
      await expect
        .poll(async () => (await readRegistry(root)).entries.size, { timeout: 20_000 })
        .toBeGreaterThan(before);
      child.kill('SIGKILL');
      await ended;
      await put(`after-${round}`, entry(round));
    }
    const { entries } = await readRegistry(root);
    expect([...entries.keys()].filter((name) => name.startsWith('after-'))).toHaveLength(3);
  });
});
