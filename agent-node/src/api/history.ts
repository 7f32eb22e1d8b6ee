import { createHash } from 'node:crypto';
import { type ForkThread, routes } from '@uncaged/protocol/api';
import type { ThreadId } from '@uncaged/protocol/ids';
import { Problem } from '@uncaged/protocol/problem';
import { ensureWorker, type ForkRequest, forkThread, getThread } from '../executor/index.js';
import { type ResolvedWorkflow, readConfig, resolveWorkflow } from '../registry/index.js';
import { type ThreadRow, workDirectory } from '../store/index.js';
import { lineage, threadDiff } from '../views/index.js';
import type { ApiContext } from './context.js';
import type { Mount } from './mount.js';
import { pathUnder } from './workspace.js';

/** What became of a thread: forks of it, its relatives, how it differs from another one. */
export function mountHistory(mount: Mount, context: ApiContext): void {
  const { store, recover } = context;

  mount(routes.forkThread, async ({ params, body, headers }) => ({
    threadId: await fork(context, params.id, forkOf(body), headers['idempotency-key']),
  }));

  mount(routes.getLineage, async ({ params }) => {
    await recover();
    return lineage(store, getThread(store, params.id));
  });

  mount(routes.diffThreads, async ({ params }) => {
    await recover();
    return threadDiff(store, getThread(store, params.id), getThread(store, params.other));
  });
}

/** No body asks for the same as an empty one. */
function forkOf(body: ForkThread | undefined): ForkThread {
  return body ?? routes.forkThread.body.schema.parse({});
}

async function fork(
  context: ApiContext,
  source: ThreadId,
  body: ForkThread,
  key: string | undefined,
): Promise<ThreadId> {
  const { store, control, whenFree, recover } = context;
  await recover();
  const asked = JSON.stringify(['fork', source, body]);
  const once =
    key === undefined ? null : { key, body: createHash('sha256').update(asked).digest() };
  // What was asked for before is not looked at again: the source may be gone by now.
  const known = once === null ? null : store.idempotency.get(once.key);
  const isRepeated = known !== null && once?.body.equals(known.body);
  const { id, workerKey } = isRepeated
    ? { id: known.thread, workerKey: getThread(store, known.thread).worker }
    : await forkAnew(context, source, body, once === null ? {} : { once });
  await whenFree(() => ensureWorker(store, workerKey, control.program, control.limits));
  return id;
}

async function forkAnew(
  context: ApiContext,
  source: ThreadId,
  body: ForkThread,
  once: Pick<ForkRequest, 'once'>,
) {
  const { store, control, whenFree } = context;
  const { fromStep, fromRole, prompt, workflow, agents, maxSteps, maxVisits, budget } = body;
  const resolved =
    workflow === null
      ? null
      : await whenFree(() => resolveWorkflow(store, workflow, { cwd: null }));
  if (isNew(getThread(store, source), body, resolved)) await checkPlace(context, source);
  const options = { agents, maxSteps, maxVisits, budget };
  const place = { source, fromStep, fromRole, prompt, workflow: resolved, stopAfter: null };
  const request = { ...place, options, ...once };
  return whenFree(() => forkThread(store, request, control.clock));
}

/** Whether a fork asks for anything that its source did not. Limits only say how much of it. */
function isNew(
  { version, options }: ThreadRow,
  { prompt, agents }: ForkThread,
  workflow: ResolvedWorkflow | null,
): boolean {
  const isOtherWorkflow = workflow !== null && workflow.version !== version;
  const isOtherAgent = ([role, agent]: [string, string]) =>
    !Object.hasOwn(options.agents, role) || options.agents[role] !== agent;
  return prompt !== null || isOtherWorkflow || Object.entries(agents).some(isOtherAgent);
}

/**
 * A fork works where its source does, which may be a directory that its owner chose at the command line. To repeat there what
 * was asked for there is one thing; to do something new there needs what a start needs. Throws invalid-workspace.
 */
async function checkPlace({ store }: ApiContext, source: ThreadId): Promise<void> {
  const { workspace, imported } = getThread(store, source);
  if (imported) return;
  if (pathUnder(workspace, [workDirectory(store.root)]) !== null) return;
  const { workspaceRoots } = await readConfig(store.root);
  if (pathUnder(workspace, workspaceRoots) !== null) return;
  const roots =
    workspaceRoots.length === 0
      ? 'of which there are none'
      : `which are ${workspaceRoots.join(', ')}`;
  throw new Problem(
    'invalid-workspace',
    `thread ${source} works in ${JSON.stringify(workspace)}, outside of config.workspaceRoots of this node, ${roots}: from here it can only be forked with the prompt, the workflow and the agents that it has; to change them, run \`uwf thread fork ${source}\` on that machine, or let its owner add the directory to config.workspaceRoots in workflow.yaml`,
  );
}
