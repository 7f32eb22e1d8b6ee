import { type gatewayRoutes, listSchema, routes, threadSummarySchema } from '@uncaged/protocol/api';
import type { Principal } from '@uncaged/protocol/http';
import { hashSchema } from '@uncaged/protocol/ids';
import { isNotStarted, type LinkHeaders } from '@uncaged/protocol/link';
import { isProblem, Problem } from '@uncaged/protocol/problem';
import type { z } from 'zod';
import type { Directory } from '../directory/index.js';
import type { GatewayLimits } from '../limits.js';
import type { Links, NodeLink } from '../links/index.js';
import { askNode } from './ask-node.js';
import { candidates, names } from './candidates.js';
import { createInTurn } from './in-turn.js';
import { rankNodes } from './rank-nodes.js';
import { requireLink } from './require-link.js';

export type StartRequest = z.output<typeof gatewayRoutes.startSomewhere.body.schema>;

/** Which node an Idempotency-Key was given to, for as long as nodes remember keys. */
export type Starts = {
  get: (key: string) => string | null;
  /** Kept when it is done: awaited before the node is asked. */
  set: (key: string, node: string) => Promise<void> | void;
};

export type Starter = {
  /**
   * Starts a thread: on the named node, or on the least busy one that is connected, has the labels and the workflow and lets
   * threads be started. The same `key` again goes to the same node, one after the other, also when that is away: then it is
   * `unreachable`, and nothing is started twice. Throws machine-not-found, unreachable, forbidden, workflow-not-found,
   * version-not-found, idempotency-conflict, node-timeout, what `GatewayMux.request` throws, and the node's own problems.
   */
  start: (asked: StartAsked) => Promise<{ threadId: string; node: string }>;
};

type StartAsked = {
  body: StartRequest;
  /** Idempotency-Key; null: it may be started as often as it is asked for. */
  key: string | null;
  principal: Principal;
  signal?: AbortSignal | undefined;
};

type StarterInput = {
  links: Links;
  directory: Directory;
  limits: Pick<GatewayLimits, 'fanOutMs' | 'link'>;
  starts: Starts;
};

const keyPageSchema = listSchema(threadSummarySchema.pick({ threadId: true }));

export function createStarter(input: StarterInput): Starter {
  const { links, directory, limits, starts } = input;
  const inTurn = createInTurn();
  const underWay = new Map<string, number>();

  return {
    start: (asked) =>
      asked.key === null ? place(asked) : inTurn(asked.key, () => placeOnce(asked, asked.key!)),
  };

  async function placeOnce(asked: StartAsked, key: string) {
    if (asked.signal?.aborted === true)
      throw new Problem('cancelled', 'Nobody waits for this start.');
    const before = starts.get(key);
    if (before === null) return place(asked);
    const named = asked.body.node;
    if (named !== null && named !== before)
      throw new Problem(
        'idempotency-conflict',
        `The Idempotency-Key was used for a start on ${before}; for one on ${named} make another key.`,
      );
    const link = links.get(before);
    if (link !== null) return startOn(link, asked);
    throw new Problem(
      'unreachable',
      `The start with this Idempotency-Key was given to ${before}, which is not connected; whether it took place shows when that node is back. Another key would start it anew.`,
    );
  }

  async function place(asked: StartAsked) {
    const { body, principal, signal } = asked;
    if (body.node !== null) return startOn(requireLink(input, body.node), asked);
    const fitting = candidates(input, body.labels);
    const knowing = asked.key === null ? null : await whoKnows(fitting, asked, asked.key);
    if (knowing !== null) return startOn(knowing, asked);
    const isHash = hashSchema.safeParse(body.workflow).success;
    const ranked = await rankNodes({
      links: fitting,
      workflow: isHash ? null : body.workflow,
      underWay: (node) => underWay.get(node) ?? 0,
      principal,
      limitMs: limits.fanOutMs,
      signal,
    });
    return startOnFirst(ranked, asked);
  }

  /** A node that lets the next one have a try has not started anything. */
  async function startOnFirst(ranked: readonly NodeLink[], asked: StartAsked) {
    const refusals: Problem[] = [];
    for (const link of ranked) {
      try {
        return await startOn(link, asked);
      } catch (error) {
        if (!isProblem(error) || !isNextWorthTrying(error)) throw error;
        refusals.push(error);
      }
    }
    const missing = refusals.find(({ code }) => code === 'version-not-found');
    if (missing === undefined) throw refusals[0]!;
    throw new Problem(
      'version-not-found',
      `No node has the version ${asked.body.workflow}. Asked: ${names(ranked.map(({ name }) => name))}.`,
      { cause: missing },
    );
  }

  /** The node on which the key was used before, as far as nodes can be asked. */
  async function whoKnows(fitting: readonly NodeLink[], asked: StartAsked, key: string) {
    const { principal, signal } = asked;
    const path = `/api/threads?${new URLSearchParams({ key })}`;
    const knows = async (link: NodeLink): Promise<NodeLink | null> => {
      try {
        const { items } = await askNode(link, {
          path,
          principal,
          schema: keyPageSchema,
          limitMs: limits.fanOutMs,
          signal,
        });
        return items.length > 0 ? link : null;
      } catch (error) {
        // It will not be chosen either, unless it comes round.
        if (isProblem(error)) return null;
        throw error;
      }
    };
    const answers = await Promise.all(fitting.map(knows));
    return answers.find((link) => link !== null) ?? null;
  }

  async function startOn(link: NodeLink, { body, key, principal, signal }: StartAsked) {
    const { node: _node, labels: _labels, ...start } = body;
    if (key !== null && starts.get(key) !== link.name) await starts.set(key, link.name);
    const { name } = link;
    underWay.set(name, (underWay.get(name) ?? 0) + 1);
    try {
      const headers: LinkHeaders = key === null ? [] : [['idempotency-key', key]];
      const { threadId } = await askNode(link, {
        path: routes.startThread.path,
        body: start,
        headers,
        principal,
        schema: routes.startThread.response.schema,
        limitMs: limits.link.headMs,
        signal,
      });
      directory.setHost(threadId, name);
      return { threadId, node: name };
    } finally {
      const left = underWay.get(name)! - 1;
      if (left === 0) underWay.delete(name);
      else underWay.set(name, left);
    }
  }
}

/** It has not begun, or has not got what it takes: another node may. */
function isNextWorthTrying(problem: Problem): boolean {
  return (
    isNotStarted(problem) ||
    problem.code === 'version-not-found' ||
    problem.code === 'workflow-not-found'
  );
}
