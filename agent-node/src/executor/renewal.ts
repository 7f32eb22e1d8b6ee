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

/** Starts the thread that renews the leases of this worker and moves the WAL, whatever the main thread is busy with. */
export function startRenewal(
  input: Omit<RenewalInput, 'pulse'>,
  program: URL,
  onFailure: (error: Error) => void,
): Renewal {
  const pulse = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  const counter = new Int32Array(pulse);
  const thread = new Worker(program, { workerData: { ...input, pulse } satisfies RenewalInput });
  thread.on('error', onFailure);
  const exited = new Promise<void>((resolve) => thread.once('exit', () => resolve()));
  return {
    beat: () => {
      Atomics.add(counter, 0, 1);
    },
    stop: async () => {
      thread.postMessage('stop');
      await exited;
    },
  };
}
