import { gatewayRoutes, type PlacedThread, type ThreadSummary } from '@uncaged/protocol/api';
import { Problem } from '@uncaged/protocol/problem';
import type { Hono } from 'hono';
import { checkedCall, json } from './checked-call.js';
import type { ServeContext, ServeEnv, Serving } from './context.js';
import { followAll } from './follow-all.js';
import { requireSelf } from './machines.js';
import { askNode, toNode } from './node-app.js';

/** What a gateway merges over its nodes, in its shapes; this is the only node. */
export function mountMerged(app: Hono<ServeEnv>, serving: Serving): void {
  const { node } = serving;

  app.get(gatewayRoutes.listAllThreads.path, async (c) => {
    const answer = await toNode(serving, c);
    // Of HEAD there is nothing to read.
    if (!answer.ok || c.req.method === 'HEAD') return answer;
    const page = (await answer.json()) as { items: ThreadSummary[]; nextCursor: string | null };
    const items: PlacedThread[] = page.items.map((item) => ({ ...item, node: node.name }));
    return json({ ...page, items, unreachable: [] });
  });

  app.post(gatewayRoutes.startSomewhere.path, (c) => start(serving, c));

  app.get(gatewayRoutes.followAll.path, async (c) => followAll(serving, await toNode(serving, c)));
}

async function start(serving: Serving, c: ServeContext): Promise<Response> {
  const { body, headers } = await checkedCall(gatewayRoutes.startSomewhere, c, serving);
  const { node, labels, ...request } = body;
  if (node === null) requireLabels(serving, labels);
  else requireSelf(serving, node);
  const key = headers['idempotency-key'];
  const answer = await askNode(serving, '/api/threads', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    },
    body: JSON.stringify(request),
    signal: c.req.raw.signal,
  });
  if (!answer.ok) return answer;
  const started = (await answer.json()) as { threadId: string };
  return json({ ...started, node: serving.node.name }, answer.status);
}

function requireLabels({ node }: Serving, wanted: Readonly<Record<string, string>>): void {
  const missing = Object.entries(wanted).filter(
    ([label, value]) => !Object.hasOwn(node.labels, label) || node.labels[label] !== value,
  );
  if (missing.length === 0) return;
  throw new Problem(
    'machine-not-found',
    `There is no node with ${missing.map(([label, value]) => `${label}=${value}`).join(', ')} here; this server has only its own, ${node.name}.`,
  );
}
