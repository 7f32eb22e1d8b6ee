import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { faultCount } from '../support/fault-counts.js';
import { isAlive } from '../support/processes.js';
import { startChain, untilOwned, untilStatus } from '../support/threads.js';
import { createMachine, type Machine } from '../support/uwf.js';

const STOPS = faultCount({ reduced: 1, full: 10 });
/** Of one stop, ms: the command waits 5 s for the lock. */
const STOP_MAX_MS = 90_000;
/** SQLite's write lock of a WAL is this byte of the `-shm` file. */
const WRITE_LOCK = /WRITE (\d+) [0-9a-f]+:[0-9a-f]+:(\d+) 120 120$/;

describe('a worker stopped while it writes', () => {
  let machine: Machine;
  let stopped: number | null = null;
  beforeEach(() => {
    machine = createMachine();
  });
  afterEach(async () => {
    if (stopped !== null && isAlive(stopped)) process.kill(stopped, 'SIGCONT');
    stopped = null;
    await machine.dispose();
  });

  it(
    'is named to who cannot write because of it, and nothing is lost when it goes on',
    async () => {
      for (let round = 1; round <= STOPS; round++) {
        const id = await startChain(machine, `quick-${round}`, 40, () => 'true');
        const worker = await untilOwned(machine, id);
        stopped = worker;
        await stopWithin(worker);
        const refused = await machine.uwf(['cas', 'put', `a text of round ${round}`]);
        expect(refused).toMatchObject({ code: 6, stdout: '' });
        expect(refused.stderr).toContain(String(worker));
        process.kill(worker, 'SIGCONT');
        expect(await machine.uwf(['cas', 'put', `a text of round ${round}`])).toMatchObject({
          code: 0,
        });
        const thread = await untilStatus(machine, id, 'completed', 'interrupted');
        expect(thread).toMatchObject({ status: 'completed', stepCount: 40 });
        expect(thread.steps.every(({ attempt }) => attempt === 1)).toBe(true);
      }
    },
    STOPS * STOP_MAX_MS,
  );

  /** Stops the process until it stands in the middle of a transaction. */
  async function stopWithin(pid: number): Promise<void> {
    const { ino } = statSync(join(machine.root, 'store.db-shm'));
    const deadline = performance.now() + STOP_MAX_MS / 2;
    while (performance.now() < deadline) {
      process.kill(pid, 'SIGSTOP');
      // A signal takes effect a moment later.
      while (!isStopped(pid)) await sleep(1);
      if (writerOf(ino) === pid) return;
      process.kill(pid, 'SIGCONT');
      await sleep(1);
    }
    throw new Error(`process ${pid} never stood in a transaction`);
  }
});

function writerOf(inode: number): number | null {
  for (const line of readFileSync('/proc/locks', 'utf8').split('\n')) {
    const match = WRITE_LOCK.exec(line);
    if (match !== null && !line.includes('->') && Number(match[2]) === inode)
      return Number(match[1]);
  }
  return null;
}

function isStopped(pid: number): boolean {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  return /^[Tt]/.test(stat.slice(stat.lastIndexOf(')') + 2));
}
