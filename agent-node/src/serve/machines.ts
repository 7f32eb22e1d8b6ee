import {
  gatewayRoutes,
  type MachineDetail,
  type MachineJson,
  type NodeJson,
  type ThreadSummary,
  toTime,
} from '@uncaged/protocol/api';
import { nodeNameSchema } from '@uncaged/protocol/ids';
import { Problem } from '@uncaged/protocol/problem';
import type { Hono } from 'hono';
import { rawTarget } from '../api/index.js';
import { VERSION } from '../executor/index.js';
import { checkedCall, json } from './checked-call.js';
import type { ServeEnv, Serving } from './context.js';
import { MACHINE_THREADS_MAX } from './limits.js';
import { askNode, toNode } from './node-app.js';

const OF_A_NODE = /^\/api\/nodes\/[^/?#]+(\/.*)$/s;

/** A gateway's list of nodes, in which there is this one. */
export function mountMachines(app: Hono<ServeEnv>, serving: Serving): void {
  const { node, clock } = serving;
  const { listNodes, getMachine, forgetNode } = gatewayRoutes;

  app.get(listNodes.path, () => json({ items: [machineOf(serving)], nextCursor: null }));

  app.get(getMachine.path, async (c) => {
    requireSelf(serving, (await checkedCall(getMachine, c, serving)).params.node);
    const [own, threads] = await Promise.all([
      askNode(serving, '/api/node'),
      askNode(serving, `/api/threads?limit=${MACHINE_THREADS_MAX}`),
    ]);
    if (!own.ok) return own;
    if (!threads.ok) return threads;
    const detail: MachineDetail = {
      ...machineOf(serving),
      node: (await own.json()) as NodeJson,
      threads: ((await threads.json()) as { items: ThreadSummary[] }).items,
      seenAt: toTime(clock()),
    };
    return json(detail);
  });

  app.delete(forgetNode.path, async (c) => {
    requireSelf(serving, (await checkedCall(forgetNode, c, serving)).params.node);
    throw new Problem(
      'in-use',
      `Node ${node.name} is this server itself; only a node that is offline can be forgotten.`,
    );
  });

  app.all(`${getMachine.path}/*`, (c) => {
    requireSelf(serving, c.req.param('node'));
    // `/api/nodes/<name>/x` → `/api/x`, cut from the path as it came.
    const [, rest] = OF_A_NODE.exec(rawTarget(c.req.raw, c.env)) ?? [];
    return toNode(serving, c, `/api${rest ?? '/'}`);
  });
}

export function machineOf({ node, address, startedAt }: Serving): MachineJson {
  return {
    name: node.name,
    state: 'online',
    since: toTime(startedAt),
    version: VERSION,
    labels: { ...node.labels },
    allow: [...node.allow],
    gateway: address,
    // There is no way to go.
    rttMs: 0,
  };
}

/** Throws machine-not-found; invalid-id for what no node can be called. */
export function requireSelf({ node }: Serving, name: string): void {
  if (name === node.name) return;
  if (!nodeNameSchema.safeParse(name).success)
    throw new Problem(
      'invalid-id',
      `${JSON.stringify(name.slice(0, 63))} is not the name of a node.`,
    );
  throw new Problem(
    'machine-not-found',
    `There is no node ${JSON.stringify(name.slice(0, 63))} here; this server has only its own, ${node.name}.`,
  );
}
