import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { until } from './until.js';

/** Far above what a service needs to say where it is, with two cores and many tests. */
const START_MAX_MS = 30_000;

/** A program that runs until it is told to end: a gateway, `uwf connect`, `uwf serve`. */
export type Service = {
  pid: number;
  child: ChildProcess;
  /** Everything it has said. */
  output: { stdout: string; stderr: string };
  /** Null while it runs. */
  exitCode: () => number | null;
  signal: (signal: NodeJS.Signals) => void;
  /** TERM, then what it ended with; 128 = by a signal. Of one that has ended, the same. */
  stop: () => Promise<number>;
  /** SIGKILL. */
  kill: () => Promise<void>;
};

/** Starts a program of this repository with this Node. */
export function startService(
  file: string,
  args: readonly string[],
  options: { cwd: string; env: NodeJS.ProcessEnv },
): Service {
  const child = spawn(process.execPath, [file, ...args], {
    ...options,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => {
    output.stdout += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    output.stderr += chunk.toString();
  });
  const ended = once(child, 'close');
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  return {
    pid: child.pid!,
    child,
    output,
    exitCode: () => (hasEnded() ? (child.exitCode ?? 128) : null),
    signal: (signal) => void child.kill(signal),
    async stop() {
      if (!hasEnded()) child.kill('SIGTERM');
      await ended;
      return child.exitCode ?? 128;
    },
    async kill() {
      if (!hasEnded()) child.kill('SIGKILL');
      await ended;
    },
  };
}

/** Waits for what the service says; fails with all it said when it ends before. */
export function untilSaid(
  service: Service,
  stream: 'stdout' | 'stderr',
  pattern: RegExp,
): Promise<RegExpExecArray> {
  return until(
    `${pattern} on ${stream}`,
    () => {
      const found = pattern.exec(service.output[stream]);
      if (found === null && service.exitCode() !== null)
        throw new Error(
          `ended with ${service.exitCode()} before it said ${pattern}: ${service.output.stdout}${service.output.stderr}`,
        );
      return found;
    },
    START_MAX_MS,
  );
}
