import { spawn } from 'node:child_process';
import type { Stream } from 'node:stream';
import { STDERR_KEPT_CHARS, STDERR_SHOWN_CHARS } from './limits.js';
import { printable, shorten } from './printable.js';

export type CaptureOptions = {
  cwd: string;
  env: NodeJS.ProcessEnv;
  maxBytes: number;
  timeoutMs: number;
  /** Bytes for stdin. Absent: nothing to read. */
  input?: Buffer;
  /** Open files that the program gets as descriptors 3, 4 and so on. */
  descriptors?: readonly number[];
};

export type Captured = {
  /** Null when it was ended early (limit, time) or by a signal. */
  code: number | null;
  stdout: Buffer;
  /** Its beginning, as it came. */
  stderr: string;
  /** More output existed than `maxBytes`; the program was ended. */
  cut: boolean;
  timedOut: boolean;
  /** The program could not be started. */
  missing: boolean;
};

/**
 * Runs a program without a shell and keeps a bounded part of its output. Children stay in the process group of the
 * step, so that ending the step ends them.
 */
export function capture(
  command: string,
  args: readonly string[],
  options: CaptureOptions,
): Promise<Captured> {
  return new Promise((resolve, reject) => {
    const { input } = options;
    const child = spawn(command, args, {
      cwd: options.cwd,
      env: options.env,
      stdio: [
        input === undefined ? 'ignore' : 'pipe',
        'pipe',
        'pipe',
        ...(options.descriptors ?? []),
      ],
    });
    const chunks: Buffer[] = [];
    let kept = 0;
    let noise = '';
    let cut = false;
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      child.kill('SIGKILL');
    }, options.timeoutMs);

    const done = (code: number | null, missing: boolean) => {
      clearTimeout(timer);
      resolve({
        code,
        stdout: Buffer.concat(chunks),
        stderr: noise.trim(),
        cut,
        timedOut,
        missing,
      });
    };
    child.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' || error.code === 'EACCES') {
        done(null, true);
      } else {
        clearTimeout(timer);
        reject(error);
      }
    });
    child.on('close', (code) => done(code, false));
    onData(child.stdout, (chunk) => {
      if (cut) return;
      const room = options.maxBytes - kept;
      chunks.push(chunk.subarray(0, room));
      kept += Math.min(chunk.length, room);
      if (chunk.length > room) {
        cut = true;
        child.kill('SIGKILL');
      }
    });
    onData(child.stderr, (chunk) => {
      if (noise.length < STDERR_KEPT_CHARS) noise += chunk.toString('utf8');
    });
    if (input !== undefined && child.stdin !== null) {
      // A program that ends before it has read everything closes the pipe; its exit code tells the story.
      child.stdin.on('error', (error: NodeJS.ErrnoException) => {
        if (error.code !== 'EPIPE' && error.code !== 'ECONNRESET') reject(error);
      });
      child.stdin.end(input);
    }
  });
}

/** Why a program did not do what it was asked, on one line and safe to print. */
export function complaint(captured: Captured): string {
  if (captured.timedOut) return 'it did not answer in time';
  const said = captured.stderr.replace(/\s+/g, ' ');
  return shorten(printable(said === '' ? `exit code ${captured.code}` : said), STDERR_SHOWN_CHARS);
}

function onData(stream: Stream | null, take: (chunk: Buffer) => void): void {
  stream?.on('data', take);
}
