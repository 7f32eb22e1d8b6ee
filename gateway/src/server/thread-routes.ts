import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { gatewayRoutes } from '@uncaged/protocol/api';
import type { Auth } from '../auth/index.js';
import type { EventHub } from '../events/index.js';
import type { MergedThreads, Starter } from '../proxy/index.js';
import type { MountOwn } from './own-routes.js';

const EVENTS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store, no-transform',
};

export type ThreadParts = { auth: Auth; hub: EventHub; threads: MergedThreads; starter: Starter };

/** What concerns the threads of every node. */
export function mountThreads(mount: MountOwn, { auth, hub, threads, starter }: ThreadParts): void {
  mount(gatewayRoutes.listAllThreads, ({ query, asker, request }) =>
    threads.list({ query, principal: asker.principal, signal: request.signal }),
  );
  mount(gatewayRoutes.startSomewhere, async ({ body, headers, asker, note, request }) => {
    note.node = body.node;
    const started = await starter.start({
      body,
      key: headers['idempotency-key'] ?? null,
      principal: asker.principal,
      signal: request.signal,
    });
    note.node = started.node;
    note.thread = started.threadId;
    return started;
  });
  mount(gatewayRoutes.followAll, ({ query, asker, raw }) => {
    // Who asks for the head alone would hold a follower that never ends, and its connection.
    if (raw.incoming.method === 'HEAD') return new Response(null, { headers: EVENTS });
    hub.follow(raw.incoming, raw.outgoing, {
      threads: query.threads ?? [],
      isValid: () => auth.isValid(asker.identity),
    });
    return RESPONSE_ALREADY_SENT;
  });
}
