import { type ChildProcess, spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { isProblem, Problem } from '@uncaged/protocol/problem';
import { trackDescendants } from './descendant-tracker.js';
import { processStartOf } from './identity.js';
import { PIPE_DRAIN_MS } from './limits.js';
import { findHolders } from './process-table.js';
import { openStandardStreams, type StandardStreams } from './standard-streams.js';
import { endTree, MARKER_VARIABLE, type ProcessTree } from './tree.js';

export type RunProcessOptions = {
  /** Program and its arguments; no shell in between. */
  argv: readonly [string, ...string[]];
  cwd: string;
  /** The whole environment; the marker is added. */
  env: Readonly<Record<string, string | undefined>>;
  /** Text for stdin, UTF-8; null: stdin is at its end from the start. A program that does not read it is no error. */
  stdin: string | null;
  marker: string;
  /** Aborted: the tree is ended, then the call rejects with the signal's reason. */
  signal: AbortSignal;
  /** Between TERM and KILL, ms. */
  graceMs: number;
  /** Bytes in order. What it throws ends the tree and is what the call rejects with. */
  onStdout: (chunk: Uint8Array) => void;
  onStderr: (chunk: Uint8Array) => void;
  onSpawn: (group: { pgid: number; processStart: string }) => void;
  /** Pids that could not be ended, or that hold the output open without being found as part of the tree. */
  onLeft: (pids: readonly number[]) => void;
};

/** One of the two is null. */
export type ProcessEnd = { exitCode: number | null; signalName: NodeJS.Signals | null };

/**
 * Runs a program in a group and session of its own and settles when its whole tree is gone: what the leader leaves
 * behind is ended. Throws agent-not-found, agent-failed (not startable), invalid-workspace.
 */
export async function runProcess(options: RunProcessOptions): Promise<ProcessEnd> {
  const { signal } = options;
  signal.throwIfAborted();
  requireDirectory(options.cwd);
  const streams = await openStandardStreams(options.stdin);
  try {
    signal.throwIfAborted();
    const child = await start(options, streams);
    streams.closeChildEnds();
    return await supervise(options, child, streams);
  } finally {
    streams.destroy();
  }
}

async function start(
  options: RunProcessOptions,
  streams: StandardStreams,
): Promise<ChildProcess & { pid: number }> {
  const [program, ...argv] = options.argv;
  try {
    const child = spawn(program, argv, {
      cwd: options.cwd,
      env: { ...options.env, [MARKER_VARIABLE]: options.marker },
      stdio: streams.childEnds,
      detached: true,
    });
    if (child.pid === undefined)
      await new Promise<never>((_, reject) => {
        child.once('error', reject);
      });
    return child as ChildProcess & { pid: number };
  } catch (error) {
    throw startProblem(program, error);
  }
}

async function supervise(
  options: RunProcessOptions,
  child: ChildProcess & { pid: number },
  streams: StandardStreams,
): Promise<ProcessEnd> {
  const { signal, marker, graceMs } = options;
  const exited = new Promise<ProcessEnd>((resolve) => {
    child.once('exit', (exitCode, signalName) => resolve({ exitCode, signalName }));
  });
  // No yield since the spawn: Node has not reaped it yet, so even one that ended is still listed.
  const processStart = processStartOf(child.pid);
  const tree: ProcessTree = { pgid: child.pid, processStart, marker };
  const tracker = trackDescendants(child.pid);
  const stop = createStop();
  const onAbort = () => stop.because(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    const drained = Promise.all([
      consume(streams.output, options.onStdout, stop),
      consume(streams.noise, options.onStderr, stop),
    ]);
    stop.guard(() => {
      if (processStart !== null) options.onSpawn({ pgid: child.pid, processStart });
    });
    await Promise.race([exited, stop.stopped]);
    await within(PIPE_DRAIN_MS, [drained, stop.stopped]);
    tracker.look();
    const { left } = await endTree({ ...tree, graceMs, seen: tracker.seen });
    const ended = await within(PIPE_DRAIN_MS, [drained, stop.stopped]);
    const holders = ended ? [] : findHolders(streams.names);
    if (left.length + holders.length > 0) options.onLeft([...new Set([...left, ...holders])]);
    stop.throwIfStopped();
    return await exited;
  } finally {
    tracker.stop();
    signal.removeEventListener('abort', onAbort);
  }
}

/** Why the process must end before its time; the first reason counts. */
type Stop = {
  stopped: Promise<void>;
  because: (reason: unknown) => void;
  /** Runs a caller's function; what it throws becomes the reason. */
  guard: (run: () => void) => void;
  isStopped: () => boolean;
  throwIfStopped: () => void;
};

function createStop(): Stop {
  let reason: { value: unknown } | null = null;
  let resolve: () => void = () => undefined;
  const stopped = new Promise<void>((done) => {
    resolve = done;
  });
  const because = (value: unknown) => {
    reason ??= { value };
    resolve();
  };
  return {
    stopped,
    because,
    guard: (run) => {
      try {
        run();
      } catch (error) {
        because(error);
      }
    },
    isStopped: () => reason !== null,
    throwIfStopped: () => {
      if (reason !== null) throw reason.value;
    },
  };
}

function consume(socket: Socket, onChunk: (chunk: Uint8Array) => void, stop: Stop): Promise<void> {
  return new Promise((resolve) => {
    socket.on('data', (chunk: Uint8Array) => {
      // Still read, so that a program which is being ended does not hang in a write, but no longer handed on.
      if (!stop.isStopped()) stop.guard(() => onChunk(chunk));
    });
    socket.on('error', (error) => stop.because(error));
    socket.once('close', () => resolve());
  });
}

/** Waits for one of `events`, at most `limitMs`; false when the time was up. */
async function within(limitMs: number, events: readonly Promise<unknown>[]): Promise<boolean> {
  const timer = new AbortController();
  // Rejects only when the timer is taken back, once nobody waits for it any more.
  const timeUp = sleep(limitMs, false, { signal: timer.signal }).catch(() => false);
  const happened = await Promise.race([...events.map((event) => event.then(() => true)), timeUp]);
  timer.abort();
  return happened;
}

function requireDirectory(cwd: string): void {
  if (statSync(cwd, { throwIfNoEntry: false })?.isDirectory() === true) return;
  throw new Problem(
    'invalid-workspace',
    `${cwd} is not a directory; create it or choose another workspace`,
  );
}

function startProblem(program: string, error: unknown): unknown {
  if (isProblem(error)) return error;
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT')
    return new Problem(
      'agent-not-found',
      `${program} was not found on the PATH; install it or give its full path`,
      {
        cause: error,
      },
    );
  if (code === 'EACCES' || code === 'ENOEXEC')
    return new Problem(
      'agent-not-found',
      `${program} cannot be executed (${code}); check the file and its permissions`,
      {
        cause: error,
      },
    );
  if (code === 'E2BIG')
    return new Problem(
      'agent-failed',
      `${program} was not started: its arguments and environment are too long for this system; pass less by them`,
      {
        cause: error,
        retryable: false,
      },
    );
  if (code === 'ERR_INVALID_ARG_VALUE')
    return new Problem(
      'agent-failed',
      `${program} was not started: an argument or a variable has a NUL character, which no program can be given`,
      {
        cause: error,
        retryable: false,
      },
    );
  return new Problem(
    'agent-failed',
    `${program} was not started (${code ?? String(error)}); the machine may be out of processes or memory`,
    {
      cause: error,
    },
  );
}
