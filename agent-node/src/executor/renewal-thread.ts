import { parentPort, workerData } from 'node:worker_threads';
import { isProblem } from '@uncaged/protocol/problem';
import { monotonicMs } from '../process/index.js';
import { openStore } from '../store/index.js';
import type { RenewalInput } from './renewal.js';

/**
 * Runs beside the main thread of a worker: renews all its leases in one UPDATE each second, moves the WAL, and ends the
 * whole process when a kill is not obeyed. Stops renewing when the main thread has not moved for long, and ends
 * the process when its leases have run out by that.
 */
const { root, instance, limits, pulse } = workerData as RenewalInput;
const counter = new Int32Array(pulse);
const store = await openStore(root, { clock: Date.now });
const killSeen = new Map<string, number>();
let lastBeat = Atomics.load(counter, 0);
let lastMoved = monotonicMs();

const timer = setInterval(() => {
  try {
    tick();
  } catch (error) {
    // A store that is busy or full just now is tried again in a second; the lease outlasts several misses.
    if (!isProblem(error, 'store-busy') && !isProblem(error, 'disk-full')) throw error;
  }
}, limits.renewEveryMs);

parentPort?.on('message', () => {
  clearInterval(timer);
  store.close();
  parentPort?.close();
});

function tick(): void {
  const now = monotonicMs();
  const beat = Atomics.load(counter, 0);
  if (beat !== lastBeat) {
    lastBeat = beat;
    lastMoved = now;
  }
  // Nobody else can end what a main thread in an endless loop holds on to.
  if (now - lastMoved > limits.stuckAfterMs + limits.deadAfterMs)
    process.kill(process.pid, 'SIGKILL');
  endDisobedient(now);
  if (now - lastMoved <= limits.stuckAfterMs)
    store.write('normal', () => {
      store.workers.renew(instance, now);
      store.leases.renew(instance, now);
    });
  store.checkpoint();
}

/** A thread told to die keeps its lease until its owner has ended it; one that holds on for too long takes the worker down. */
function endDisobedient(now: number): void {
  const told = new Set<string>();
  for (const lease of store.leases.list()) {
    if (lease.owner !== instance || store.threads.get(lease.thread)?.desired !== 'kill') continue;
    told.add(lease.thread);
    const since = killSeen.get(lease.thread) ?? now;
    killSeen.set(lease.thread, since);
    if (now - since > limits.killObeyedMs) process.kill(process.pid, 'SIGKILL');
  }
  for (const id of killSeen.keys()) if (!told.has(id)) killSeen.delete(id);
}
