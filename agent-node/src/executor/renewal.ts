import { Worker } from 'node:worker_threads';
import type { ExecutorLimits } from './limits.js';

export type RenewalInput = {
  root: string;
  instance: string;
  limits: ExecutorLimits;
  /** One Int32: the main thread adds to it as long as it moves. */
  pulse: SharedArrayBuffer;
};

export type Renewal = {
  /** Says that the main thread is alive. */
  beat: () => void;
  /** Ends the thread by a handshake: it closes its database before it goes. */
  stop: () => Promise<void>;
};

/**
 * The thread that renews the leases of this worker and moves the WAL, whatever the main thread is busy with. It starts
 * after the first interval: until then a fresh lease needs nothing, and most workers of short threads are gone by then.
 */
export function startRenewal(
  input: Omit<RenewalInput, 'pulse'>,
  program: URL,
  onFailure: (error: Error) => void,
): Renewal {
  const pulse = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  const counter = new Int32Array(pulse);
  let thread: Worker | null = null;
  let exited: Promise<void> = Promise.resolve();
  const begin = setTimeout(() => {
    const started = new Worker(program, { workerData: { ...input, pulse } satisfies RenewalInput });
    started.on('error', onFailure);
    exited = new Promise((resolve) => started.once('exit', () => resolve()));
    thread = started;
  }, input.limits.renewEveryMs);
  return {
    beat: () => {
      Atomics.add(counter, 0, 1);
    },
    stop: async () => {
      clearTimeout(begin);
      thread?.postMessage('stop');
      await exited;
    },
  };
}
