import type { StepJson, ThreadDetail } from '@uncaged/protocol/api';
import { until } from './until.js';
import type { Machine } from './uwf.js';
import { chain, writeWorkflow } from './workflows.js';

export type { StepJson } from '@uncaged/protocol/api';

/** What `uwf thread show --json` prints. */
export type ThreadJson = ThreadDetail & { steps: StepJson[] };

export const show = (machine: Machine, id: string) =>
  machine.json<ThreadJson>(['thread', 'show', id]);

/** Starts a workflow and returns the thread's id. */
export async function start(machine: Machine, ...args: string[]): Promise<string> {
  const { threadId } = await machine.json<{ threadId: string }>(['run', ...args]);
  return threadId;
}

/** Starts a chain of `length` scripts under this name and returns the thread's id. */
export function startChain(
  machine: Machine,
  name: string,
  length: number,
  script: (n: number) => string,
): Promise<string> {
  return start(machine, writeWorkflow(machine.cwd, name, chain(name, length, script)));
}

/** Waits until the thread has one of the statuses. */
export function untilStatus(
  machine: Machine,
  id: string,
  ...statuses: string[]
): Promise<ThreadJson> {
  let thread: ThreadJson | null = null;
  return until(
    () => `thread ${id} is ${statuses.join(' or ')}; it is ${JSON.stringify(thread)}`,
    async () => {
      thread = await show(machine, id);
      return statuses.includes(thread.status) && thread;
    },
  );
}

/** Owner of a running thread. */
export function untilOwned(machine: Machine, id: string): Promise<number> {
  return until(`thread ${id} has an owner`, async () => (await show(machine, id)).owner?.pid);
}
