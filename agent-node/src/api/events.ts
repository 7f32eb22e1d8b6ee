import { routes } from '@uncaged/protocol/api';
import { getThread } from '../executor/index.js';
import type { ApiContext } from './context.js';
import type { Mount } from './mount.js';
import { nodeSource } from './stream/node-stream.js';
import { sseResponse } from './stream/sse-response.js';
import { threadSource } from './stream/thread-stream.js';

export function mountEvents(mount: Mount, { tailer, limits, recover }: ApiContext): void {
  mount(routes.followNode, async ({ query, request }) => {
    await recover();
    return sseResponse({
      signal: request.signal,
      limits,
      open: (channel) => nodeSource(tailer, query.threads ?? [], channel),
    });
  });

  mount(routes.followThread, async ({ params, headers, request }) => {
    await recover();
    const { id } = getThread(tailer.store, params.id);
    return sseResponse({
      signal: request.signal,
      limits,
      open: (channel) => threadSource(tailer, id, headers['last-event-id'], channel),
    });
  });
}
