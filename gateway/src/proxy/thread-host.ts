import type { Principal } from '@uncaged/protocol/http';
import { type ThreadId, threadIdSchema } from '@uncaged/protocol/ids';
import { isProblem, Problem } from '@uncaged/protocol/problem';
import { z } from 'zod';
import type { Directory } from '../directory/index.js';
import type { GatewayLimits } from '../limits.js';
import type { Links, NodeLink } from '../links/index.js';
import { askNode } from './ask-node.js';
import { names } from './candidates.js';
import { createCopies } from './copies.js';
import { LOOKS_MAX } from './limits.js';

export type ThreadHosts = {
  /**
   * The link to the node that has a thread: at once when it is known, else all that are connected are asked. One that has only
   * a copy from a pack counts when nobody has the thread itself. Throws thread-not-found, unreachable (it is on a node that is away, or may be on one that has only just gone or does not
   * answer), overloaded (too many are being looked for).
   */
  find: (id: ThreadId) => NodeLink | Promise<NodeLink>;
  /** The same by name, without a throw for what cannot be found now: null. */
  hostOf: (id: ThreadId) => Promise<string | null>;
  /** What a node said when it was asked for a thread: not having it, it is not its host. */
  answered: (id: ThreadId, node: string, status: number) => void;
};

type HostsInput = {
  links: Links;
  directory: Directory;
  limits: Pick<GatewayLimits, 'fanOutMs' | 'backSoonMs'>;
  /** ms since epoch. */
  now: () => number;
};

/** A look is nobody's in particular: several may wait for the same one. */
const GATEWAY: Principal = { role: 'viewer', name: 'gateway' };
const NOT_FOUND_STATUS = 404;
const threadSchema = z.object({ threadId: threadIdSchema, imported: z.boolean() });

/** A node's answer to a look. */
type Found = { link: NodeLink; isCopy: boolean };

export function createThreadHosts({ links, directory, limits, now }: HostsInput): ThreadHosts {
  /** Before that no node can have been connected. */
  const startedAt = now();
  /** Threads of which only a copy was found: asked anew soon, for the thread itself may come back. */
  const copies = createCopies({ links, now });
  /** What is being looked for now; those who come meanwhile wait for the same look. */
  const looks = new Map<ThreadId, Promise<NodeLink>>();

  const find: ThreadHosts['find'] = (id) => {
    const host = directory.hostOf(id);
    const known = host === null ? null : links.get(host);
    if (known !== null) return known;
    const copy = copies.get(id);
    if (copy !== null) return copy;
    const running = looks.get(id);
    if (running !== undefined) return running;
    if (looks.size >= LOOKS_MAX)
      throw new Problem(
        'overloaded',
        `${LOOKS_MAX} threads are being looked for on the nodes already. Try again in a moment.`,
      );
    const look = lookFor(id).finally(() => looks.delete(id));
    looks.set(id, look);
    return look;
  };

  async function lookFor(id: ThreadId): Promise<NodeLink> {
    const settled = new AbortController();
    const failures = new Map<string, Problem>();
    const looksOn = links.list().map((link) => lookOn(link, id, settled.signal, failures));
    try {
      const { link } = await Promise.any(looksOn.map(itself));
      // The others are not waited for.
      settled.abort();
      directory.setHost(id, link.name);
      return link;
    } catch (error) {
      if (!(error instanceof AggregateError)) throw error;
    }
    try {
      const { link } = await Promise.any(looksOn);
      copies.set(id, link);
      return link;
    } catch (error) {
      if (!(error instanceof AggregateError)) throw error;
      throw error.errors.find((one) => !isProblem(one)) ?? notFound(id, failures);
    }
  }

  /** Rejects with why it is not the one, and notes that unless it said so itself. */
  async function lookOn(
    link: NodeLink,
    id: ThreadId,
    signal: AbortSignal,
    failures: Map<string, Problem>,
  ): Promise<Found> {
    try {
      const { threadId, imported } = await askNode(link, {
        path: `/api/threads/${id}`,
        principal: GATEWAY,
        schema: threadSchema,
        limitMs: limits.fanOutMs,
        signal,
      });
      if (threadId === id) return { link, isCopy: imported };
      throw new Problem('node-failed', `${link.name} answered with another thread.`);
    } catch (error) {
      if (isProblem(error) && !isProblem(error, 'thread-not-found')) failures.set(link.name, error);
      throw error;
    }
  }

  function notFound(id: ThreadId, failures: ReadonlyMap<string, Problem>): Problem {
    const away = awayAs(failures);
    const host = directory.hostOf(id);
    if (host !== null && away.has(host))
      return new Problem(
        'unreachable',
        `The thread ${id} is on ${host}, which ${away.get(host)}; it can be asked for once that node is back.`,
      );
    const unasked = [...away].map(([name, why]) => `${name} ${why}`).sort();
    if (unasked.length === 0)
      return new Problem(
        'thread-not-found',
        `No node has a thread ${id}; GET /api/threads lists what there is.`,
      );
    const where = `No node that can be asked has a thread ${id}; it may be on one that cannot: ${names(unasked)}.`;
    // Whoever follows a thread while its node dials anew must not be told that the thread is gone.
    return [...away.keys()].some((name) => failures.has(name) || isBackSoon(name))
      ? new Problem('unreachable', `${where} Try again in a moment.`)
      : new Problem('thread-not-found', where);
  }

  /** It has been away for so short that it is most likely dialling. */
  function isBackSoon(name: string): boolean {
    const known = directory.get(name);
    if (known === null || known.state === 'update-needed') return false;
    return now() - Math.max(known.since, startedAt) < limits.backSoonMs;
  }

  /** Nodes that may have what nobody was found to have → why they could not be asked. */
  function awayAs(failures: ReadonlyMap<string, Problem>): Map<string, string> {
    const away = new Map<string, string>();
    for (const { hello, state } of directory.list())
      if (links.get(hello.node) === null)
        away.set(hello.node, state === 'update-needed' ? 'must be updated' : 'is not connected');
    for (const [name, { code }] of failures)
      away.set(name, code === 'node-timeout' ? 'did not answer in time' : `failed (${code})`);
    return away;
  }

  return {
    find,
    async hostOf(id) {
      try {
        return (await find(id)).name;
      } catch (error) {
        if (isProblem(error)) return null;
        throw error;
      }
    },
    answered(id, node, status) {
      if (status !== NOT_FOUND_STATUS) return;
      if (directory.hostOf(id) === node) directory.dropHost(id);
      if (copies.get(id)?.name === node) copies.drop(id);
    },
  };
}

/** Rejects for a copy, so that another node is waited for. */
async function itself(look: Promise<Found>): Promise<Found> {
  const found = await look;
  if (found.isCopy) throw new Problem('thread-not-found', `${found.link.name} has only a copy.`);
  return found;
}
