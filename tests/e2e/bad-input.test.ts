import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { processesWith } from '../support/processes.js';
import { start, untilStatus } from '../support/threads.js';
import { createMachine, type Machine } from '../support/uwf.js';
import { oneScript, writeWorkflow } from '../support/workflows.js';

const isRootOnLinux = process.platform === 'linux' && process.getuid?.() === 0;

describe('bad input', () => {
  let machine: Machine;
  beforeEach(() => {
    machine = createMachine();
  });
  afterEach(() => machine.dispose());

  const threads = async () => (await machine.json<{ items: unknown[] }>(['thread', 'list'])).items;

  it('an unknown workflow is a 404 that names near ones; nothing is stored', async () => {
    const result = await machine.uwf(['run', 'demoo']);
    expect(result.code).toBe(3);
    expect(result.stdout).toBe('');
    expect(result.stderr).toContain('demoo');
    expect(result.stderr).toContain('demo');
    expect(await threads()).toEqual([]);
  });

  it.each([
    ['a tab', 'name: x\nroles:\n\ta: {}\n', ':3:1'],
    ['an open bracket', 'name: x\nroles: { a: [\n', ':3:1'],
    ['a key twice', 'name: x\nname: y\nroles: {}\n', ':2:1'],
  ])(
    'broken YAML (%s) is told with line and column, and not registered',
    async (_, yaml, position) => {
      const file = writeWorkflow(machine.cwd, 'broken', yaml);
      for (const args of [
        ['workflow', 'check', file],
        ['workflow', 'add', file],
        ['run', file],
      ]) {
        const result = await machine.uwf(args);
        expect(result.code).toBe(2);
        expect(result.stdout + result.stderr).toContain(`broken.yaml${position}`);
      }
      const { items } = await machine.json<{ items: { name: string; origin?: string }[] }>([
        'workflow',
        'list',
      ]);
      expect(items.map((item) => item.name)).not.toContain('x');
      expect(await threads()).toEqual([]);
    },
  );

  it.each([
    ['../x', '../x'],
    ['that is empty', ''],
    ['../../etc/passwd', '../../etc/passwd'],
    ['of 10 kB', 'x'.repeat(10_000)],
    ['%2f', '%2f'],
    ['with a path behind it', '01ARZ3NDEKTSV4RRFFQ69G5FAV/..'],
  ])('the id %s is refused with exit code 2 and a short text', async (_, id) => {
    for (const args of [
      ['thread', 'show', id],
      ['thread', 'kill', id],
      ['live', id],
      ['step', 'show', id],
      ['cas', 'get', id],
    ]) {
      const result = await machine.uwf(args);
      expect(result.code).toBe(2);
      expect(result.stderr.length).toBeLessThan(300);
      expect(result.stderr).toMatch(/^error: /);
    }
  });

  it('a well-formed id that nobody has is a 404', async () => {
    for (const args of [
      ['thread', 'show', '01ARZ3NDEKTSV4RRFFQ69G5FAV'],
      ['step', 'show', 'XX3DPDTHV3MSJ'],
      ['cas', 'get', 'XX3DPDTHV3MSJ'],
    ]) {
      const result = await machine.uwf(args);
      expect(result.code).toBe(3);
    }
  });

  it('a script that exits 3 without an edge for it fails the thread, quoting code and stderr', async () => {
    const id = await start(
      machine,
      writeWorkflow(machine.cwd, 'three', oneScript('three', 'echo oh no >&2; exit 3')),
    );
    const thread = await untilStatus(machine, id, 'failed');
    expect(thread.problem?.code).toBe('no-route');
    expect(thread.problem?.message).toContain('exited with 3');
    expect(thread.problem?.message).toContain('oh no');
    expect(thread.steps).toMatchObject([{ status: 'committed', meta: { $status: 'failed' } }]);
    expect((await machine.uwf(['live', id])).code).toBe(1);
    expect((await machine.uwf(['ps', '--json'])).stdout).toContain('"items": []');
  });

  it('a workspace that does not exist is refused before anything is stored', async () => {
    const result = await machine.uwf(['run', 'demo', '--workspace', join(machine.cwd, 'nowhere')]);
    expect(result.code).toBe(2);
    expect(result.stderr).toContain('nowhere');
    expect(await threads()).toEqual([]);
  });

  it.each([
    ['an empty workspace', ['--workspace', ''], 'the workspace is empty'],
    ['an agent for a role that is not there', ['--agent', 'wrok=helper'], 'no role wrok'],
  ])('%s is refused before anything is stored', async (_, args, text) => {
    const file = writeWorkflow(machine.cwd, 'one', oneScript('one', 'true'));
    const result = await machine.uwf(['run', file, ...args]);
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toContain(text);
    expect(await threads()).toEqual([]);
  });

  it('an agent that the machine does not have is refused before anything is stored, in a fork too', async () => {
    const file = writeWorkflow(machine.cwd, 'one', oneScript('one', 'true'));
    const refused = await machine.uwf(['run', file, '--agent', 'work=nobody']);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain('asks for agent "nobody"');
    expect(await threads()).toEqual([]);
    const id = await start(machine, file);
    await untilStatus(machine, id, 'completed');
    const fork = await machine.uwf(['thread', 'fork', id, '--agent', 'work=nobody']);
    expect(fork).toMatchObject({ code: 2, stdout: '' });
    expect(await threads()).toHaveLength(1);
  });

  it('a storage root that is a file is told with its path', async () => {
    writeFileSync(machine.root, 'a file');
    const result = await machine.uwf(['run', 'demo']);
    expect(result.code).toBe(1);
    expect(result.stderr).toContain(machine.root);
    rmSync(machine.root);
  });

  it('a store that is no database is told, and not overwritten', async () => {
    mkdirSync(machine.root, { recursive: true });
    const store = join(machine.root, 'store.db');
    writeFileSync(store, 'this is no database, and somebody may want it back'.repeat(100));
    const result = await machine.uwf(['thread', 'list']);
    expect(result.code).toBe(1);
    expect(result.stderr).toContain('store.db');
    expect(spawnSync('head', ['-c', '19', store]).stdout.toString()).toBe('this is no database');
    rmSync(store);
  });

  it.each([
    ['NULs', Buffer.alloc(4_096)],
    ['an open brace', Buffer.from('{')],
    ['bytes that are no text', Buffer.from([0xff, 0xfe, 0x00, 0x80])],
  ])(
    'a registry that holds %s is kept aside with one warning, and everything starts',
    async (_, bytes) => {
      mkdirSync(machine.root, { recursive: true });
      writeFileSync(join(machine.root, 'workflow.yaml'), bytes);
      const file = writeWorkflow(machine.cwd, 'one', oneScript('one', 'true'));
      const first = await machine.uwf(['run', file, '--wait']);
      expect(first.code).toBe(0);
      const aside = readdirSync(machine.root).filter((name) => name.includes('.damaged-'));
      expect(aside).toHaveLength(1);
      expect(first.stderr.match(/^warning: .*$/gm)).toEqual([expect.stringContaining(aside[0]!)]);
      expect(readFileSync(join(machine.root, aside[0]!)).equals(bytes)).toBe(true);
      expect((await machine.uwf(['run', file, '--wait'])).stderr).not.toContain('warning');
      expect((await machine.uwf(['workflow', 'add', file])).code).toBe(0);
    },
  );

  it.each([
    ['a mistake in something written by hand', 'config:\n  defaultAgent: [x\nworkflows: {}\n', 2],
    ['nothing', '', 0],
  ])('a registry with %s stays where it is', async (_, text, code) => {
    mkdirSync(machine.root, { recursive: true });
    const path = join(machine.root, 'workflow.yaml');
    writeFileSync(path, text);
    expect((await machine.uwf(['workflow', 'list'])).code).toBe(code);
    expect(readFileSync(path, 'utf8')).toBe(text);
    expect(readdirSync(machine.root).filter((name) => name.includes('.damaged-'))).toEqual([]);
    rmSync(path);
  });

  it('a missing native module is told with what to install', async () => {
    const preload = join(machine.cwd, 'no-binding.cjs');
    writeFileSync(
      preload,
      `const Module = require('node:module');
       const load = Module._extensions['.node'];
       Module._extensions['.node'] = function (module, file) {
         if (file.includes('better_sqlite3')) throw Object.assign(new Error('Could not locate the bindings file'), { code: 'MODULE_NOT_FOUND' });
         return load(module, file);
       };`,
    );
    const result = await machine.uwf(['thread', 'list'], {
      env: { NODE_OPTIONS: `--require ${preload}` },
    });
    expect(result.code).toBe(1);
    expect(result.stderr).toContain('better-sqlite3');
    expect(result.stderr).toMatch(/python3|g\+\+/);
    expect(result.stderr).not.toContain('    at ');
  });

  it('a worker that cannot start is told with its log, and the thread stays to be resumed', async () => {
    const file = writeWorkflow(machine.cwd, 'quick', oneScript('quick', 'true'));
    await machine.uwf(['workflow', 'list']);
    mkdirSync(join(machine.root, 'logs'), { recursive: true });
    writeFileSync(join(machine.root, 'logs', 'workers'), 'in the way');
    const result = await machine.uwf(['run', file]);
    expect(result.code).toBe(1);
    expect(result.stderr).toContain('logs');
    rmSync(join(machine.root, 'logs', 'workers'));
    const [thread] = (await machine.json<{ items: { threadId: string }[] }>(['thread', 'list']))
      .items;
    await machine.uwf(['thread', 'kill', thread!.threadId]);
    expect(processesWith(machine.root)).toEqual([]);
  });

  if (isRootOnLinux) {
    it('a full disk fails the step naming the place, and the thread goes on once there is room', async () => {
      const disk = join(machine.cwd, 'disk');
      mkdirSync(disk);
      expect(spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', disk]).status).toBe(0);
      try {
        machine.env.UNCAGED_WORKFLOW_STORAGE_ROOT = join(disk, 'root');
        const script = 'head -c 6000000 /dev/urandom | base64 -w0';
        const id = await start(
          machine,
          writeWorkflow(machine.cwd, 'fat', oneScript('fat', script)),
        );
        const thread = await untilStatus(machine, id, 'failed', 'interrupted');
        expect(JSON.stringify(thread)).toContain('disk');
        expect(spawnSync('mount', ['-o', 'remount,size=64m', disk]).status).toBe(0);
        const verb = thread.status === 'failed' ? 'retry' : 'resume';
        expect(await machine.uwf(['thread', verb, id])).toMatchObject({ code: 0 });
        expect(await untilStatus(machine, id, 'completed')).toMatchObject({ stepCount: 1 });
      } finally {
        await machine.uwf(['ps']);
        spawnSync('umount', ['-l', disk]);
      }
    });

    it('a storage root on a read-only file system is told with its path', async () => {
      await machine.uwf(['workflow', 'list']);
      expect(spawnSync('mount', ['--bind', '-o', 'ro', machine.root, machine.root]).status).toBe(0);
      try {
        const result = await machine.uwf(['run', 'demo']);
        expect(result.code).toBe(1);
        expect(result.stderr).toContain(machine.root);
      } finally {
        spawnSync('umount', [machine.root]);
      }
    });
  } else {
    it('a storage root that may not be written is told with its path', async () => {
      mkdirSync(machine.root);
      chmodSync(machine.root, 0o500);
      const result = await machine.uwf(['run', 'demo']);
      expect(result.code).toBe(1);
      expect(result.stderr).toContain(machine.root);
      expect(existsSync(machine.root) && readdirSync(machine.root)).toEqual([]);
      chmodSync(machine.root, 0o700);
    });
  }
});
