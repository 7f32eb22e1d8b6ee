import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { TRACK_MAX_MS } from './limits.js';
import { findCarriers, readProcess, readProcessTable } from './process-table.js';
import { type RunProcessOptions, runProcess } from './spawn.js';
import { MARKER_VARIABLE } from './tree.js';

/** Far above what anything here needs, with two cores that others use too. */
const APPEARS_MAX_MS = 30_000;

let directory: string;
let marker: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'uwf-spawn-test-'));
  marker = `spawn-test-${process.pid}-${Math.random()}/1`;
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(directory, { recursive: true, force: true });
  expect(marked()).toEqual([]);
});

const marked = () => {
  const alive = readProcessTable().filter((row) => !row.ended);
  return [...findCarriers(alive, `${MARKER_VARIABLE}=${marker}`).carriers];
};

function sh(script: string, more: Partial<RunProcessOptions> = {}) {
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  const left: number[] = [];
  const done = runProcess({
    argv: ['/bin/sh', '-c', script],
    cwd: directory,
    env: process.env,
    stdin: null,
    marker,
    signal: new AbortController().signal,
    graceMs: 200,
    onStdout: (chunk) => void out.push(Buffer.from(chunk)),
    onStderr: (chunk) => void err.push(Buffer.from(chunk)),
    onSpawn: () => undefined,
    onLeft: (pids) => void left.push(...pids),
    ...more,
  });
  return { done, stdout: () => Buffer.concat(out), stderr: () => Buffer.concat(err), left };
}

/** Pids that a script wrote to files of its directory, one each. */
const pidsIn = (names: string[]) =>
  names.map((name) => {
    const pid = Number(readFileSync(join(directory, name), 'utf8'));
    expect(pid).toBeGreaterThan(1);
    return pid;
  });
const isAlive = (pid: number) => readProcess(pid)?.ended === false;
const filesThere = (names: string[]) =>
  vi.waitFor(() => pidsIn(names), { timeout: APPEARS_MAX_MS, interval: 10 });

describe('runProcess', () => {
  it('gives exit code, stdout and stderr, and feeds stdin', async () => {
    const run = sh('cat; echo noise >&2; exit 3', { stdin: 'häppy' });
    expect(await run.done).toEqual({ exitCode: 3, signalName: null });
    expect(run.stdout().toString()).toBe('häppy');
    expect(run.stderr().toString()).toBe('noise\n');
    expect(run.left).toEqual([]);
  });

  it('lets a script open its standard streams by name', async () => {
    const run = sh('cat /dev/stdin > /dev/stdout; echo noise > /dev/stderr', { stdin: 'text' });
    expect(await run.done).toEqual({ exitCode: 0, signalName: null });
    expect(run.stdout().toString()).toBe('text');
    expect(run.stderr().toString()).toBe('noise\n');
  });

  it('names the signal that ended the leader', async () => {
    expect(await sh('kill -SEGV $$').done).toEqual({ exitCode: null, signalName: 'SIGSEGV' });
  });

  it('gives the child its marker and a group of its own', async () => {
    const groups: { pgid: number; processStart: string }[] = [];
    const run = sh(`echo $${MARKER_VARIABLE}; cut -d' ' -f5 /proc/$$/stat`, {
      onSpawn: (group) => groups.push(group),
    });
    await run.done;
    expect(run.stdout().toString()).toBe(`${marker}\n${groups[0]?.pgid}\n`);
    expect(groups).toHaveLength(1);
  });

  it('takes a program that does not read its stdin', async () => {
    const run = sh('exec 0<&-; exit 0', { stdin: 'x'.repeat(4_000_000) });
    expect(await run.done).toEqual({ exitCode: 0, signalName: null });
  });

  it('carries 64 MB through whole while holding none of it', async () => {
    let size = 0;
    let sum = 0;
    const run = sh('head -c 64000000 /dev/zero | tr "\\0" a; printf b', {
      onStdout: (chunk) => {
        size += chunk.length;
        sum = chunk.at(-1) ?? 0;
      },
    });
    await run.done;
    expect(size).toBe(64_000_001);
    expect(sum).toBe('b'.charCodeAt(0));
  });

  it('ends at an abort the leader, its children, those in other sessions and those that ignore TERM', async () => {
    const abort = new AbortController();
    const run = sh(
      `trap '' TERM
       sleep 300 & echo $! > child
       setsid sh -c 'trap "" TERM; echo $$ > session; while :; do sleep 1; done' &
       sh -c 'sh -c "echo \\$\\$ > grandchild; exec sleep 300" & wait' &
       env -i setsid sleep 300 & echo $! > wiped
       while :; do sleep 1; done`,
      { signal: abort.signal, graceMs: 100 },
    );
    const pids = await filesThere(['child', 'session', 'grandchild', 'wiped']);
    expect(pids.every(isAlive)).toBe(true);
    const reason = new Error('stop it');
    abort.abort(reason);
    await expect(run.done).rejects.toBe(reason);
    expect(pids.filter(isAlive)).toEqual([]);
    expect(run.left).toEqual([]);
  });

  it('ends what the leader left running, even when it holds the pipes', async () => {
    const run = sh(`sleep 300 & echo $! > child; setsid sleep 300 & echo $! > session; echo done`);
    expect(await run.done).toEqual({ exitCode: 0, signalName: null });
    expect(run.stdout().toString()).toBe('done\n');
    expect(pidsIn(['child', 'session']).filter(isAlive)).toEqual([]);
  });

  it('ends a daemon that wiped its environment and left its session, once it was seen as a descendant', async () => {
    const run = sh(
      `env -i setsid sleep 300 >/dev/null 2>&1 </dev/null & echo $! > daemon; while [ ! -e go ]; do sleep 0.01; done`,
    );
    await filesThere(['daemon']);
    // Timers of one process keep their order: it has looked at least once by then.
    await new Promise<void>((looked) => void setTimeout(looked, TRACK_MAX_MS + 1));
    writeFileSync(join(directory, 'go'), '');
    await run.done;
    expect(pidsIn(['daemon']).filter(isAlive)).toEqual([]);
  });

  it('reports a process that escaped group, marker and parent and still holds the output', async () => {
    const run = sh(
      `(env -i /bin/sh -c 'setsid sleep 300 & echo $! > daemon' &)
       while [ ! -s daemon ]; do :; done; exit 0`,
    );
    await run.done;
    const daemon = pidsIn(['daemon'])[0] ?? 0;
    // Whether the look at descendants came in time is chance; silence about a living one is what must not be.
    if (isAlive(daemon)) {
      expect(run.left).toEqual([daemon]);
      process.kill(daemon, 'SIGKILL');
    }
  });

  it('does not start anything when the signal is aborted already', async () => {
    const reason = new Error('too late');
    const run = sh('echo x > started', { signal: AbortSignal.abort(reason) });
    await expect(run.done).rejects.toBe(reason);
    expect(readdirSync(directory)).toEqual([]);
  });

  it('ends the tree when a consumer of the output throws', async () => {
    const reason = new Error('enough');
    const run = sh('sleep 300 & echo $! > child; yes', {
      onStdout: () => {
        throw reason;
      },
    });
    await expect(run.done).rejects.toBe(reason);
    expect(pidsIn(['child']).filter(isAlive)).toEqual([]);
  });

  it('names a program that does not exist, is no program, or a directory that is not there', async () => {
    await expect(sh('', { argv: ['uwf-no-such-program'] }).done).rejects.toMatchObject({
      code: 'agent-not-found',
      message: expect.stringContaining('uwf-no-such-program'),
    });
    writeFileSync(join(directory, 'text'), 'text', { mode: 0o644 });
    await expect(sh('', { argv: [join(directory, 'text')] }).done).rejects.toMatchObject({
      code: 'agent-not-found',
    });
    await expect(sh('', { cwd: join(directory, 'gone') }).done).rejects.toMatchObject({
      code: 'invalid-workspace',
      message: expect.stringContaining('gone'),
    });
  });

  it('says what to do when there is no room for its input and output', async () => {
    vi.stubEnv('TMPDIR', join(directory, 'gone'));
    await expect(sh('true').done).rejects.toMatchObject({
      code: 'agent-failed',
      message: expect.stringContaining('TMPDIR'),
    });
  });

  it('says so when arguments are too long or hold a NUL', async () => {
    await expect(sh('', { argv: ['/bin/echo', 'x'.repeat(200_000)] }).done).rejects.toMatchObject({
      code: 'agent-failed',
      message: expect.stringContaining('too long'),
    });
    await expect(sh('a\0b').done).rejects.toMatchObject({
      code: 'agent-failed',
      message: expect.stringContaining('NUL'),
    });
  });

  it('leaves no descriptor and no temporary file behind', async () => {
    const count = () => readdirSync('/proc/self/fd').length;
    vi.stubEnv('TMPDIR', directory);
    await sh('true').done;
    const before = count();
    for (let round = 0; round < 10; round++) await sh('echo x; echo y >&2', { stdin: 'z' }).done;
    await vi.waitFor(() => expect(count()).toBeLessThanOrEqual(before), {
      timeout: APPEARS_MAX_MS,
    });
    expect(readdirSync(directory)).toEqual([]);
  });
});
