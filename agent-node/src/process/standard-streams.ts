import { execFile } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { devNull, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Problem } from '@uncaged/protocol/problem';
import { isDiskFull } from './disk-full.js';
import { TOOL_TIMEOUT_MS } from './limits.js';

/**
 * Stdin, stdout and stderr of a child as things that can be opened by name. Node itself connects children by sockets,
 * and those cannot: `echo … > /dev/stderr` and `cat /dev/stdin`, usual in shell scripts, would fail. Output goes through
 * named pipes, input lies in a file (opening a named pipe whose writer is gone would wait for ever).
 */
export type StandardStreams = {
  /** Our ends of stdout and stderr. */
  output: Socket;
  noise: Socket;
  /** The child's ends, for `stdio`. */
  childEnds: [number, number, number];
  /** Names that the pipes had, by which a process that still holds one is recognised. */
  names: readonly string[];
  /** To be called as soon as the child is spawned: an end we hold would never let us see the end. */
  closeChildEnds: () => void;
  /** Closes everything. */
  destroy: () => void;
};

const execFileAsync = promisify(execFile);

/**
 * `stdin` null: at its end from the start. Nothing keeps a name in the file system once this returns.
 * Throws disk-full, agent-failed when the directory for temporary files cannot hold them.
 */
export async function openStandardStreams(stdin: string | null): Promise<StandardStreams> {
  const opened: number[] = [];
  const open = (path: string, flags: number) => {
    const fd = openSync(path, flags);
    opened.push(fd);
    return fd;
  };
  let directory: string | null = null;
  try {
    directory = mkdtempSync(join(tmpdir(), 'uwf-streams-'));
    const [input, output, noise] = [
      join(directory, 'in'),
      join(directory, 'out'),
      join(directory, 'err'),
    ] as const;
    await execFileAsync('mkfifo', ['-m', '600', output, noise], { timeout: TOOL_TIMEOUT_MS });
    if (stdin !== null) writeFileSync(input, stdin, { mode: 0o600 });
    const { O_RDONLY, O_WRONLY, O_NONBLOCK } = constants;
    const childInput = open(stdin === null ? devNull : input, O_RDONLY);
    // In this order: opening for writing waits until somebody reads, opening for reading need not wait.
    const ourOutput = open(output, O_RDONLY | O_NONBLOCK);
    const childOutput = open(output, O_WRONLY);
    const ourNoise = open(noise, O_RDONLY | O_NONBLOCK);
    const childNoise = open(noise, O_WRONLY);
    return own([ourOutput, ourNoise], [childInput, childOutput, childNoise], [output, noise]);
  } catch (error) {
    for (const fd of opened) closeSync(fd);
    throw streamsProblem(error);
  } finally {
    // Names are needed for opening only; nobody else can open what has none.
    if (directory !== null) rmSync(directory, { recursive: true, force: true });
  }
}

function own(
  ours: readonly [number, number],
  childEnds: [number, number, number],
  names: readonly string[],
): StandardStreams {
  const output = new Socket({ fd: ours[0], readable: true, writable: false });
  const noise = new Socket({ fd: ours[1], readable: true, writable: false });
  let childOpen = true;
  const closeChildEnds = () => {
    if (!childOpen) return;
    childOpen = false;
    for (const fd of childEnds) closeSync(fd);
  };
  return {
    output,
    noise,
    childEnds,
    names,
    closeChildEnds,
    destroy: () => {
      closeChildEnds();
      output.destroy();
      noise.destroy();
    },
  };
}

function streamsProblem(error: unknown): Problem {
  const code = (error as NodeJS.ErrnoException).code ?? String(error);
  return new Problem(
    isDiskFull(error) ? 'disk-full' : 'agent-failed',
    `the program was not started: its input and output cannot be set up in ${tmpdir()} (${code}); free space there or set TMPDIR to a writable directory`,
    { cause: error, retryable: false },
  );
}
