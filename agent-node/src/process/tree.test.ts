import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { buildSync } from 'esbuild';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { monotonicMs, processStartOf } from './identity.js';
import { findCarriers, readProcess, readProcessTable } from './process-table.js';
import { endTree, MARKER_VARIABLE } from './tree.js';

/** Far above what anything here needs, with two cores that others use too. */
const APPEARS_MAX_MS = 30_000;

let directory: string;
let marker: string;
const children: ChildProcess[] = [];
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'uwf-tree-test-'));
  marker = `tree-test-${randomUUID()}/1`;
});
afterEach(async () => {
  await endTree({ pgid: null, processStart: null, marker, graceMs: 0 });
  for (const child of children.splice(0)) child.kill('SIGKILL');
  rmSync(directory, { recursive: true, force: true });
});

function start(script: string, env: Record<string, string> = { [MARKER_VARIABLE]: marker }) {
  const child = spawn('/bin/sh', ['-c', script], {
    cwd: directory,
    env: { ...process.env, ...env },
    stdio: 'ignore',
    detached: true,
  });
  children.push(child);
  const pid = child.pid ?? 0;
  return { pid, group: { pgid: pid, processStart: processStartOf(pid) } };
}
const pidIn = (name: string) =>
  vi.waitFor(() => {
    const pid = Number(readFileSync(join(directory, name), 'utf8'));
    if (pid < 2) throw new Error(`${name} has no pid yet`);
    return pid;
  }, APPEARS_MAX_MS);
const isAlive = (pid: number) => readProcess(pid)?.ended === false;
const end = (tree: { pgid: number | null; processStart: string | null }, graceMs = 200) =>
  endTree({ ...tree, marker, graceMs });

describe('endTree', () => {
  it('gives a program the chance to clean up', async () => {
    const { group } = start(
      'trap "echo 2 > cleaned; exit" TERM; echo $$ > ready; while :; do sleep 0.01; done',
    );
    await pidIn('ready');
    expect(await end(group, APPEARS_MAX_MS)).toEqual({ left: [] });
    expect(readFileSync(join(directory, 'cleaned'), 'utf8')).toBe('2\n');
  });

  it('kills one that does not obey once the grace is over, and at once when told to hurry', async () => {
    const stubborn = 'trap "" TERM; echo $$ > ready; while :; do sleep 0.01; done';
    const first = start(stubborn);
    await pidIn('ready');
    const before = monotonicMs();
    expect(await end(first.group, 150)).toEqual({ left: [] });
    expect(monotonicMs() - before).toBeGreaterThanOrEqual(150);
    rmSync(join(directory, 'ready'));
    const second = start(stubborn);
    await pidIn('ready');
    const hurried = monotonicMs();
    await endTree({ ...second.group, marker, graceMs: 60_000, signal: AbortSignal.abort() });
    expect(monotonicMs() - hurried).toBeLessThan(10_000);
    expect([first.pid, second.pid].filter(isAlive)).toEqual([]);
  });

  it('lets one that is stopped clean up too', async () => {
    const { pid, group } = start(
      'trap "echo 2 > cleaned; exit" TERM; kill -STOP $$; while :; do sleep 0.01; done',
    );
    await vi.waitFor(
      () => expect(readFileSync(`/proc/${pid}/stat`, 'latin1')).toContain(') T '),
      APPEARS_MAX_MS,
    );
    expect(await end(group, APPEARS_MAX_MS)).toEqual({ left: [] });
    expect(readFileSync(join(directory, 'cleaned'), 'utf8')).toBe('2\n');
  });

  it('finds the group of a leader that is gone, by a member with the marker', async () => {
    const { pid, group } = start(
      'sleep 300 & echo $! > marked; env -i sleep 300 & echo $! > wiped; exit',
    );
    const members = [await pidIn('marked'), await pidIn('wiped')];
    await vi.waitFor(() => expect(isAlive(pid)).toBe(false), APPEARS_MAX_MS);
    expect(await end(group)).toEqual({ left: [] });
    expect(members.filter(isAlive)).toEqual([]);
  });

  it('finds by the marker alone what left group and parent, and its children without the marker', async () => {
    start(
      `setsid sh -c 'echo $$ > away; env -i sh -c "echo \\$\\$ > child; exec sleep 300"; :' & exit`,
    );
    const pids = [await pidIn('away'), await pidIn('child')];
    expect(await end({ pgid: null, processStart: null })).toEqual({ left: [] });
    expect(pids.filter(isAlive)).toEqual([]);
  });

  it('ends one that was seen as a descendant earlier, and only that one', async () => {
    const { pid } = start('exec sleep 300', { [MARKER_VARIABLE]: 'another/1' });
    const began = readProcess(pid)?.began ?? 0;
    const tree = { pgid: null, processStart: null, marker, graceMs: 100 };
    await endTree({ ...tree, seen: new Map([[pid, began + 1]]) });
    expect(isAlive(pid)).toBe(true);
    await endTree({ ...tree, seen: new Map([[pid, began]]) });
    expect(isAlive(pid)).toBe(false);
  });

  it('leaves a process alone that only has the number, or another marker', async () => {
    const other = start('sleep 300 & echo $! > child; wait', { [MARKER_VARIABLE]: `${marker}0` });
    const child = await pidIn('child');
    const [boot, began] = other.group.processStart?.split('.') ?? [];
    for (const processStart of [
      `${boot}.${Number(began) - 1}`,
      `${boot}.${Number(began) + 1}`,
      `elsewhere.${began}`,
      null,
    ])
      expect(await end({ pgid: other.pid, processStart })).toEqual({ left: [] });
    expect([other.pid, child].filter(isAlive)).toEqual([other.pid, child]);
    await endTree({ ...other.group, marker: `${marker}0`, graceMs: 100 });
    expect([other.pid, child].filter(isAlive)).toEqual([]);
  });

  it('finds members of the session that have a group of their own, no parent and no marker', async () => {
    const { group } = start(
      `exec bash -c 'set -m; (env -i sh -c "echo \\$\\$ > job; exec sleep 300" &); sleep 300'`,
    );
    const job = await pidIn('job');
    await vi.waitFor(() => expect(readProcess(job)?.pgid).not.toBe(group.pgid), APPEARS_MAX_MS);
    expect(await end(group)).toEqual({ left: [] });
    expect(isAlive(job)).toBe(false);
  });

  it('never ends the caller, though it leads the group and carries the marker', async () => {
    const program = join(directory, 'caller.mjs');
    buildSync({
      stdin: {
        contents: `
          import { spawn } from 'node:child_process';
          import { processStartOf } from './identity.js';
          import { endTree } from './tree.js';
          const child = spawn('/bin/sh', ['-c', 'trap "" TERM; echo ready; while :; do sleep 0.01; done'], { stdio: ['ignore', 'pipe', 'ignore'] });
          await new Promise((ready) => child.stdout.once('data', ready));
          const processStart = processStartOf(process.pid);
          const result = await endTree({ pgid: process.pid, processStart, marker: process.env.${MARKER_VARIABLE}, graceMs: 50 });
          process.stdout.write(JSON.stringify({ ...result, child: child.pid }));`,
        resolveDir: import.meta.dirname,
      },
      bundle: true,
      format: 'esm',
      platform: 'node',
      outfile: program,
    });
    const caller = spawn(process.execPath, [program], {
      env: { ...process.env, [MARKER_VARIABLE]: marker },
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    });
    children.push(caller);
    const said = await new Response(Readable.toWeb(caller.stdout) as ReadableStream).json();
    expect(said).toEqual({ left: [], child: expect.any(Number) });
    expect(isAlive((said as { child: number }).child)).toBe(false);
  });

  it('finds the tree of a worker that was killed', async () => {
    const worker = spawn(process.execPath, [
      '-e',
      `require('node:child_process').spawn('/bin/sh', ['-c', 'setsid sleep 300 & echo $! > away; echo $$ > leader; wait'], {
        cwd: ${JSON.stringify(directory)}, env: { ...process.env, ${MARKER_VARIABLE}: ${JSON.stringify(marker)} }, detached: true,
      }); setInterval(() => {}, 1000)`,
    ]);
    children.push(worker);
    const pids = [await pidIn('leader'), await pidIn('away')];
    const pgid = pids[0] ?? 0;
    const processStart = processStartOf(pgid);
    worker.kill('SIGKILL');
    await once(worker, 'exit');
    expect(pids.filter(isAlive)).toEqual(pids);
    expect(await end({ pgid, processStart })).toEqual({ left: [] });
    expect(pids.filter(isAlive)).toEqual([]);
  });

  it('outruns a program that forks without end', async () => {
    const { group } = start('trap "" TERM; echo $$ > ready; f() { sleep 0.02; f & f; }; f');
    await pidIn('ready');
    expect(await end(group, 30)).toEqual({ left: [] });
    const alive = readProcessTable().filter((row) => !row.ended);
    expect([...findCarriers(alive, `${MARKER_VARIABLE}=${marker}`).carriers]).toEqual([]);
  });

  it('is quick when there is nothing left', async () => {
    const { pid, group } = start('exit');
    await vi.waitFor(() => expect(isAlive(pid)).toBe(false), APPEARS_MAX_MS);
    expect(await end(group)).toEqual({ left: [] });
  });
});
