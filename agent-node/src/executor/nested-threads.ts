import { createThreadId, type ThreadId } from '@uncaged/protocol/ids';
import { isProblem, Problem } from '@uncaged/protocol/problem';
import type { NestedStart, NestedThreads } from '../engine/index.js';
import { readConfig, resolveWorkflow } from '../registry/index.js';
import { isOver, type Store, type ThreadRow } from '../store/index.js';
import { checkStartRequest } from './check-request.js';
import type { ExecutorLimits } from './limits.js';
import { recoverDead } from './recover.js';
import { checkPrompt, insertThread } from './start-thread.js';
import { requestKill, untilTreeOver } from './thread-tree.js';

type Input = {
  store: Store;
  clock: () => number;
  limits: ExecutorLimits;
  log: (tag: string, message: string) => void;
  /** Wakes this worker: nobody else tells it what it has written itself. */
  ring: () => void;
};

/** What a worker does to threads that are nested in its own. */
export function createNestedThreads(input: Input): NestedThreads {
  const { store, clock, limits, log, ring } = input;

  /** In a transaction, and then the worker looks at what was changed. */
  function change(work: () => void): void {
    store.write('full', work);
    ring();
  }

  return {
    start: async (start) => {
      const id = await startNested(input, start);
      ring();
      return id;
    },
    want: (id, desired) =>
      change(() => {
        const row = store.threads.get(id);
        if (row?.status === 'running' || row?.status === 'queued')
          store.threads.setDesired(id, desired);
      }),
    goOn: (id, { retry }) =>
      change(() => {
        const row = store.threads.get(id);
        if (row === null || isOver(row) || store.leases.get(id) !== null) return;
        if (row.status !== (retry ? 'failed' : 'interrupted')) return;
        const { stopAt } = row.options;
        store.threads.requeue(id, { retry, raise: { stopAt } });
      }),
    pauseWith: (parent, child) =>
      store.write('full', () => {
        const status = store.threads.get(child)?.status;
        const above = store.threads.get(parent);
        if (above === null || (status !== 'paused' && status !== 'interrupted')) return false;
        if (above.desired === 'run') store.threads.setDesired(parent, 'pause');
        return above.desired !== 'kill';
      }),
    end: async (id) => {
      const control = { store, clock, limits };
      try {
        await requestKill(control, id);
      } catch (error) {
        if (isProblem(error, 'thread-state') || isProblem(error, 'thread-not-found')) return;
        throw error;
      }
      ring();
      // The worker that does not obey is ended at twice this time; so would this one be, that waits for it.
      if (!(await untilTreeOver(control, id, limits.killObeyedMs / 2)))
        log('6W0TZ4HC', `nested thread ${id} was told to end and has not yet`);
    },
    keep: async () => {
      await recoverDead(store, clock, limits);
      if (store.threads.countByStatus().queued > 0) ring();
    },
  };
}

async function startNested(
  { store, clock }: Input,
  { parent, key, workflow: nested, prompt, parentState }: NestedStart,
): Promise<ThreadId> {
  const depth = parent.depth + 1;
  const maxDepth = nested.maxDepth ?? (await readConfig(store.root)).maxDepth;
  if (depth > maxDepth) throw tooDeep(store, parent, nested.workflow, maxDepth);
  checkPrompt(prompt);
  const workflow = await resolveWorkflow(store, nested.workflow, { cwd: parent.workspace });
  if (workflow.definition !== null)
    await checkStartRequest(workflow.definition, { agents: {}, inputs: null });
  const now = clock();
  const id = createThreadId(now);
  const start = store.nodes.get(parent.start);
  await store.enqueue('full', () => {
    if (store.threads.get(parent.id)?.desired === 'kill')
      throw new Problem('cancelled', `thread ${parent.id} was killed`);
    insertThread(store, {
      id,
      workflow,
      prompt,
      inputs: null,
      workspace: parent.workspace,
      givenWorkspace: start?.type === 'start' ? start.payload.workspace : null,
      options: {
        agents: agentsBelow(parent, nested.name),
        maxSteps: null,
        maxVisits: null,
        budget: null,
        stopAt: null,
      },
      nestedIn: { parent: parent.id, seq: key.seq, state: parentState, depth },
      createdAt: now,
    });
    store.steps.setChild({ ...key, fence: parent.fence }, id);
  });
  return id;
}

/** What the run chose holds below too, but not that this very workflow carries out a role of the same name in itself. */
function agentsBelow({ options }: ThreadRow, nested: string): Record<string, string> {
  return Object.fromEntries(Object.entries(options.agents).filter(([, agent]) => agent !== nested));
}

function tooDeep(store: Store, parent: ThreadRow, wanted: string, maxDepth: number): Problem {
  const chain = [wanted];
  for (
    let row: ThreadRow | null = parent;
    row !== null;
    row = row.parent === null ? null : store.threads.get(row.parent)
  )
    chain.unshift(row.workflow);
  return new Problem(
    'max-depth',
    `workflows are nested deeper than ${maxDepth}: ${chain.join(' → ')}; make one of them end without the next, or raise config.maxDepth in workflow.yaml`,
  );
}
