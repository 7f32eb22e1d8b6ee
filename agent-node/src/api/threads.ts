import { createHash } from 'node:crypto';
import { routes, type StartThread } from '@uncaged/protocol/api';
import type { ThreadId } from '@uncaged/protocol/ids';
import {
  checkAgents,
  checkStartRequest,
  ensureWorker,
  getThread,
  startThread,
  threadLogFile,
} from '../executor/index.js';
import { readConfig, resolveWorkflow } from '../registry/index.js';
import type { ThreadRow } from '../store/index.js';
import { stepJson, threadDetail, threadSummary } from '../views/index.js';
import type { ApiContext } from './context.js';
import { logResponse } from './log-response.js';
import type { Mount } from './mount.js';
import { pageOf } from './pages.js';
import { allowedWorkspace } from './workspace.js';

export function mountThreads(mount: Mount, context: ApiContext): void {
  const { store, registry, recover } = context;

  mount(routes.listThreads, async ({ query }) => {
    await recover();
    if (query.key !== undefined) {
      const known = threadOfKey(context, query.key);
      return { items: known === null ? [] : [threadSummary(known)], nextCursor: null };
    }
    const rows = store.threads.list({
      limit: query.limit + 1,
      ...(query.status === undefined ? {} : { statuses: query.status }),
      ...(query.workflow === undefined ? {} : { workflow: query.workflow }),
      ...(query.q === undefined ? {} : { q: query.q }),
      ...(query.cursor === undefined ? {} : { before: query.cursor }),
    });
    return pageOf(rows, query.limit, threadSummary, (row) => row.id);
  });

  mount(routes.startThread, async ({ body, headers }) => ({
    threadId: await start(context, body, headers['idempotency-key']),
  }));

  mount(routes.getThread, async ({ params }) => {
    await recover();
    return threadDetail(store, getThread(store, params.id), registry);
  });

  mount(routes.listThreadSteps, async ({ params, query }) => {
    await recover();
    const { id } = getThread(store, params.id);
    const [seq, attempt] = (query.cursor ?? '0.0').split('.').map(Number) as [number, number];
    const rows = store.steps.list(id, { after: { seq, attempt }, limit: query.limit + 1 });
    return pageOf(
      rows,
      query.limit,
      (row) => stepJson(store, row),
      (row) => `${row.seq}.${row.attempt}`,
    );
  });

  mount(routes.getThreadLog, ({ params }) => {
    const { id, version } = getThread(store, params.id);
    return logResponse(threadLogFile(store.root, version, id));
  });
}

async function start(
  context: ApiContext,
  body: StartThread,
  key: string | undefined,
): Promise<ThreadId> {
  const { store, control, whenFree, recover } = context;
  await recover();
  const digest = createHash('sha256').update(JSON.stringify(body)).digest();
  // What was asked for before is not looked at again: the workflow's name may be gone by now.
  const known = key === undefined ? null : store.idempotency.get(key);
  const request = known !== null && digest.equals(known.body) ? null : await prepare(context, body);
  if (request === null && known !== null) {
    const row = getThread(store, known.thread);
    await ensureWorker(store, row.worker, control.program, control.limits);
    return row.id;
  }
  const { id, workerKey } = await whenFree(() =>
    startThread(
      store,
      { ...request!, ...(key === undefined ? {} : { once: { key, body: digest } }) },
      control.clock,
    ),
  );
  await ensureWorker(store, workerKey, control.program, control.limits);
  return id;
}

async function prepare(
  { store, whenFree }: ApiContext,
  { workflow, prompt, inputs, workspace, agents, maxSteps, maxVisits, budget }: StartThread,
) {
  const resolved = await whenFree(() => resolveWorkflow(store, workflow, { cwd: null }));
  if (resolved.definition !== null)
    await checkStartRequest(resolved.definition, { agents, inputs });
  await checkAgents(store, resolved.name, agents);
  const roots = workspace === null ? [] : (await readConfig(store.root)).workspaceRoots;
  return {
    workflow: { name: resolved.name, kind: resolved.kind, version: resolved.version },
    prompt,
    inputs,
    workspace: workspace === null ? null : allowedWorkspace(workspace, roots),
    options: { agents, maxSteps, maxVisits, budget, stopAt: null },
  };
}

function threadOfKey({ store }: ApiContext, key: string): ThreadRow | null {
  const known = store.idempotency.get(key);
  return known === null ? null : store.threads.get(known.thread);
}
