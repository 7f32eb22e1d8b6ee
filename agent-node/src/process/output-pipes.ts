import { execFile } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Problem } from '@uncaged/protocol/problem';
import { TOOL_TIMEOUT_MS } from './limits.js';

/**
 * Real pipes to a child's stdin, stdout and stderr. Node itself connects children by sockets, and a socket cannot be
 * opened by name: `echo … > /dev/stderr` and `cat /dev/stdin`, usual in shell scripts, would fail.
 */
export type Pipes = {
  /** Our ends. */
  input: Socket;
  output: Socket;
  noise: Socket;
  /** The child's ends, for `stdio`. */
  childEnds: [number, number, number];
  /** Names that stdout's and stderr's pipe had, by which a process that still holds one is recognised. */
  names: readonly string[];
  /** To be called as soon as the child is spawned: an end we hold would never let the other see the end. */
  closeChildEnds: () => void;
  /** Closes our ends. */
  destroy: () => void;
};

const execFileAsync = promisify(execFile);

/** Throws agent-failed when the directory for temporary files cannot hold a named pipe. */
export async function openPipes(): Promise<Pipes> {
  const opened: number[] = [];
  const open = (path: string, flags: number) => {
    const fd = openSync(path, flags);
    opened.push(fd);
    return fd;
  };
  let directory: string | null = null;
  try {
    directory = mkdtempSync(join(tmpdir(), 'uwf-pipes-'));
    const [input, output, noise] = ['in', 'out', 'err'].map((name) => join(directory!, name)) as [
      string,
      string,
      string,
    ];
    await execFileAsync('mkfifo', ['-m', '600', input, output, noise], {
      timeout: TOOL_TIMEOUT_MS,
    });
    // Opening a named pipe waits for its other side unless it is opened for reading without blocking first.
    const { O_RDONLY, O_WRONLY, O_NONBLOCK } = constants;
    const unblock = open(input, O_RDONLY | O_NONBLOCK);
    const inputOurs = open(input, O_WRONLY | O_NONBLOCK);
    const inputChild = open(input, O_RDONLY);
    closeSync(unblock);
    opened.shift();
    const outputOurs = open(output, O_RDONLY | O_NONBLOCK);
    const outputChild = open(output, O_WRONLY);
    const noiseOurs = open(noise, O_RDONLY | O_NONBLOCK);
    const noiseChild = open(noise, O_WRONLY);
    return own(
      [inputOurs, outputOurs, noiseOurs],
      [inputChild, outputChild, noiseChild],
      [output, noise],
    );
  } catch (error) {
    for (const fd of opened) closeSync(fd);
    const reason = (error as NodeJS.ErrnoException).code ?? String(error);
    throw new Problem(
      (error as NodeJS.ErrnoException).code === 'ENOSPC' ? 'disk-full' : 'agent-failed',
      `the program was not started: no pipes can be made in ${tmpdir()} (${reason}); free space there or set TMPDIR to a writable directory`,
      { cause: error, retryable: false },
    );
  } finally {
    // Names are needed for opening only; nobody else can open what has none.
    if (directory !== null) rmSync(directory, { recursive: true, force: true });
  }
}

function own(
  ours: [number, number, number],
  childEnds: [number, number, number],
  names: readonly string[],
): Pipes {
  const input = new Socket({ fd: ours[0], readable: false, writable: true });
  const output = new Socket({ fd: ours[1], readable: true, writable: false });
  const noise = new Socket({ fd: ours[2], readable: true, writable: false });
  let childOpen = true;
  const closeChildEnds = () => {
    if (!childOpen) return;
    childOpen = false;
    for (const fd of childEnds) closeSync(fd);
  };
  return {
    input,
    output,
    noise,
    childEnds,
    names,
    closeChildEnds,
    destroy: () => {
      closeChildEnds();
      for (const socket of [input, output, noise]) socket.destroy();
    },
  };
}
