import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Problem } from '@uncaged/protocol/problem';
import type { Command } from 'commander';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CliContext } from './context.js';
import { groups } from './groups.js';
import { runCli, subcommand } from './program.js';
import { command, commandWithoutStore } from './run-command.js';
import { runForTest } from './testing.js';

let base: string;
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'uwf-cli-'));
});
afterEach(() => rm(base, { recursive: true }));
const uwf = (...argv: string[]) => runForTest(argv, { root: join(base, 'root'), cwd: base });

describe('uwf', () => {
  it('alone prints its usage on stdout and exits 2, having done nothing', async () => {
    const { code, out, err } = await uwf();
    expect({ code, err }).toEqual({ code: 2, err: '' });
    for (const { name, section } of groups) {
      expect(out).toContain(section);
      expect(out).toMatch(new RegExp(`^  ${name} `, 'm'));
    }
    expect(out).toContain('WORKFLOW_STORAGE_ROOT');
  });

  it.each([[['--help']], [['-h']], [['help']]])(
    'prints its usage for %j and exits 0',
    async (argv) => {
      const { code, out, err } = await uwf(...argv);
      expect({ code, err }).toEqual({ code: 0, err: '' });
      expect(out).toContain('Usage: uwf');
    },
  );

  it('prints its version', async () => {
    expect(await uwf('--version')).toEqual({ code: 0, out: '0.1.0\n', err: '' });
    expect((await uwf('-V')).out).toBe('0.1.0\n');
  });

  it('explains a subcommand with help and with --help alike', async () => {
    const help = await uwf('help', 'workflow', 'add');
    expect(help.code).toBe(0);
    expect(help.out).toContain('Usage: uwf workflow add [options] [name] <file>');
    expect(await uwf('workflow', 'add', '--help')).toEqual(help);
  });

  it('answers a group alone with its commands, without a row for help', async () => {
    const { code, out, err } = await uwf('workflow');
    expect({ code, err }).toEqual({ code: 2, err: '' });
    expect(out).toContain('rollback [options] <name> [hash]');
    expect(out).not.toContain('help [command]');
    expect((await uwf('workflow', '--help')).code).toBe(0);
  });

  it.each([
    [['frobnicate'], 'unknown command "frobnicate"'],
    [['workflow', 'frob'], 'unknown workflow command "frob"'],
    [['x'.repeat(10_000)], `unknown command "${'x'.repeat(40)}…"`],
    [['--frob'], 'unknown option "--frob"'],
    [['workflow', 'show'], "missing required argument 'workflow'"],
    [['workflow', 'list', 'extra'], 'too many arguments'],
    [['workflow', 'list', '--frob'], "unknown option '--frob'"],
    [['cas', 'list', '--type', 'x'], 'Types are content'],
    [['cas', 'list', '--limit', '0'], 'whole number'],
  ])('answers %j with usage and an error on stderr, exit 2', async (argv, message) => {
    const { code, out, err } = await uwf(...argv);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain('Usage: uwf');
    expect(err.trimEnd().split('\n\n').at(-1)).toMatch(/^error: /);
    expect(err).toContain(message);
    expect(err.length).toBeLessThan(2500);
  });

  it('gives usage errors as a problem document with --json', async () => {
    const { code, out, err } = await uwf('workflow', 'frob', '--json');
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(JSON.parse(err)).toMatchObject({ code: 'invalid-argument', status: 400 });
  });
});

describe('what goes wrong in a command', () => {
  const fake = (fail: () => unknown) => [
    {
      name: 'fake',
      summary: 'x',
      section: 'X:',
      load: async () => ({
        register: (parent: Command, context: CliContext) => {
          subcommand(parent, 'go', 'x').action(
            commandWithoutStore(context, () => fail() as number),
          );
          subcommand(parent, 'store', 'x').action(
            command(context, ({ store, out }) => out.line(store.root)),
          );
        },
      }),
    },
  ];
  const run = async (fail: () => unknown, argv: string[], env: Record<string, string> = {}) => {
    const written = { out: '', err: '' };
    const append = (to: 'out' | 'err') => (chunk: string | Uint8Array) => {
      written[to] += chunk.toString();
      return true;
    };
    const context: CliContext = {
      argv,
      env: { WORKFLOW_STORAGE_ROOT: join(base, 'root'), ...env },
      cwd: () => base,
      stdin: (async function* () {})(),
      stdout: { write: append('out') },
      stderr: { write: append('err') },
      clock: Date.now,
      interruption: () => new AbortController().signal,
      exitCode: 0,
    };
    return { code: await runCli(context, fake(fail)), ...written };
  };
  const throws = (error: unknown) => () => {
    throw error;
  };

  it.each([
    ['invalid-id', 2],
    ['thread-not-found', 3],
    ['thread-owned', 4],
    ['store-busy', 6],
    ['disk-full', 1],
  ] as const)('exits by the status of the problem %s', async (code, exit) => {
    const result = await run(throws(new Problem(code, 'What it is. What to do.')), ['fake', 'go']);
    expect(result).toEqual({ code: exit, out: '', err: 'error: What it is. What to do.\n' });
  });

  it('gives the problem as one JSON document on stderr with --json', async () => {
    const problem = new Problem('invalid-config', 'x\ny', {
      details: { errors: [{ line: 1 }], secret: 1 },
    });
    const { err, out } = await run(throws(problem), ['fake', 'go', '--json']);
    expect(out).toBe('');
    expect(err.trimEnd().split('\n')).toHaveLength(1);
    expect(JSON.parse(err)).toMatchObject({
      code: 'invalid-config',
      detail: 'x\ny',
      errors: [{ line: 1 }],
    });
    expect(err).not.toContain('secret');
  });

  it('says little about a bug, and all with UWF_DEBUG', async () => {
    const quiet = await run(throws(new TypeError('x is not a function')), ['fake', 'go']);
    expect(quiet.code).toBe(1);
    expect(quiet.err).toContain('error: unexpected: x is not a function');
    expect(quiet.err).not.toContain('program.test');
    const loud = await run(throws(new TypeError('x is not a function')), ['fake', 'go'], {
      UWF_DEBUG: '1',
    });
    expect(loud.err).toContain('program.test');
  });

  it('does not let an error text reach the terminal as commands', async () => {
    const { err } = await run(throws(new Problem('invalid-id', 'bad \u001b]0;x\u0007id')), [
      'fake',
      'go',
    ]);
    expect(err).toBe('error: bad id\n');
  });

  it('passes an exit code on', async () => {
    expect((await run(() => 130, ['fake', 'go'])).code).toBe(130);
  });

  it('names a storage root that cannot be used', async () => {
    await writeFile(join(base, 'root'), 'a file');
    const { code, err } = await run(() => 0, ['fake', 'store']);
    expect(code).toBe(1);
    expect(err).toContain(join(base, 'root'));
  });
});
