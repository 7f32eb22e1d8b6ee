import { routes, type ThreadOrder } from '@uncaged/protocol/api';
import {
  pauseThread,
  removeThread,
  requestKill,
  resumeThread,
  retryThread,
} from '../executor/index.js';
import type { ThreadRow } from '../store/index.js';
import type { ApiContext } from './context.js';
import type { Mount } from './mount.js';

export function mountThreadControl(
  mount: Mount,
  { store, control, recover, whenFree }: ApiContext,
): void {
  mount(routes.pauseThread, async ({ params }) =>
    order(await whenFree(() => pauseThread(control, params.id))),
  );

  mount(routes.resumeThread, async ({ params, body }) =>
    order(await whenFree(() => resumeThread(control, params.id, { retry: false, raise: body }))),
  );

  mount(routes.retryThread, async ({ params, body }) =>
    order(await whenFree(() => retryThread(control, params.id, body))),
  );

  mount(routes.killThread, async ({ params }) =>
    order(await whenFree(() => requestKill(control, params.id))),
  );

  mount(routes.removeThread, async ({ params }) => {
    await recover();
    const nested = await whenFree(() => removeThread(store, params.id));
    return { threadId: params.id, removed: true as const, nested };
  });
}

function order({ id, status, desired }: ThreadRow): ThreadOrder {
  return { threadId: id, status, desired };
}
