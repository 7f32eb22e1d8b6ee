import { routes } from '@uncaged/protocol/api';
import {
  addDefinitionText,
  checkDefinitionText,
  hasErrors,
  listWorkflows,
  readConfig,
  removeWorkflow,
  rollbackWorkflow,
  showWorkflow,
  workflowHistory,
  workflowSource,
} from '../registry/index.js';
import { workflowDetail, workflowEntry, workflowHistoryItems } from '../views/index.js';
import type { ApiContext } from './context.js';
import type { Mount } from './mount.js';

/** Files of a directory are for whoever works in it; here are the registry and the built-ins. */
const NO_PROJECT = { cwd: null };
/** Stands for a file in messages. */
const SOURCE_LABEL = 'source';

export function mountWorkflows(
  mount: Mount,
  { store, control, registry, whenFree }: ApiContext,
): void {
  mount(routes.listWorkflows, async () => ({
    items: (await listWorkflows(store, { ...NO_PROJECT, registry: await registry() })).map(
      workflowEntry,
    ),
    nextCursor: null,
  }));

  mount(routes.addWorkflow, ({ body: { source, name } }) =>
    whenFree(() =>
      addDefinitionText(store, source, {
        label: SOURCE_LABEL,
        clock: control.clock,
        ...(name === undefined ? {} : { name }),
      }),
    ),
  );

  mount(routes.checkWorkflow, async ({ body: { source } }) => {
    const { agents } = await readConfig(store.root);
    const { definition, findings } = await checkDefinitionText(source, [...agents.keys()]);
    return { ok: !hasErrors(findings), name: definition?.name ?? null, findings };
  });

  mount(routes.getWorkflow, async ({ params: { name } }) =>
    workflowDetail(await whenFree(() => showWorkflow(store, name, NO_PROJECT))),
  );

  mount(routes.getWorkflowHistory, async ({ params: { name } }) => ({
    items: workflowHistoryItems(await workflowHistory(store, name)),
    nextCursor: null,
  }));

  mount(routes.getWorkflowSource, async ({ params: { name } }) => {
    const shown = await whenFree(() => showWorkflow(store, name, NO_PROJECT));
    return { name: shown.name, hash: shown.hash, source: await workflowSource(store, shown) };
  });

  mount(routes.rollbackWorkflow, ({ params: { name }, body: { hash } }) =>
    whenFree(() => rollbackWorkflow(store, name, hash)),
  );

  mount(routes.removeWorkflow, async ({ params: { name } }) => {
    await whenFree(() => removeWorkflow(store, name));
    return { name, removed: true as const };
  });
}
