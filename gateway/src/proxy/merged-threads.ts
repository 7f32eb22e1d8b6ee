import {
  type gatewayRoutes,
  listSchema,
  type PlacedThread,
  threadSummarySchema,
} from '@uncaged/protocol/api';
import type { Principal } from '@uncaged/protocol/http';
import { threadIdSchema } from '@uncaged/protocol/ids';
import { isProblem, Problem } from '@uncaged/protocol/problem';
import type { z } from 'zod';
import type { Directory } from '../directory/index.js';
import type { GatewayLimits } from '../limits.js';
import type { Links, NodeLink } from '../links/index.js';
import { askNode } from './ask-node.js';
import { isPage, mergePages, type NodePage } from './merge-pages.js';

export type ThreadsQuery = z.output<typeof gatewayRoutes.listAllThreads.query>;

export type MergedThreads = {
  /**
   * A page of the threads of every node that is connected, newest first. `unreachable`: known nodes that are away, or did not
   * answer within `fanOutMs`, or not as they should. Rejects with `cancelled` by the signal.
   */
  list: (asked: {
    query: ThreadsQuery;
    principal: Principal;
    signal?: AbortSignal | undefined;
  }) => Promise<{ items: PlacedThread[]; nextCursor: string | null; unreachable: string[] }>;
};

const pageSchema = listSchema(threadSummarySchema).extend({
  nextCursor: threadIdSchema.nullable(),
});

export function createMergedThreads({
  links,
  directory,
  limits,
}: {
  links: Links;
  directory: Directory;
  limits: Pick<GatewayLimits, 'fanOutMs'>;
}): MergedThreads {
  return {
    async list({ query, principal, signal }) {
      const path = `/api/threads?${searchOf(query)}`;
      const asked = links.list();
      const ask = async (link: NodeLink): Promise<NodePage | null> => {
        try {
          const answer = await askNode(link, {
            path,
            principal,
            schema: pageSchema,
            limitMs: limits.fanOutMs,
            signal,
          });
          const page = { node: link.name, ...answer };
          return isPage(page, { limit: query.limit, cursor: query.cursor }) ? page : null;
        } catch (error) {
          if (isProblem(error)) return null;
          throw error;
        }
      };
      const answers = await Promise.all(asked.map(ask));
      if (signal?.aborted === true)
        throw new Problem('cancelled', 'Nobody waits for this list any more.');
      const pages = answers.filter((page) => page !== null);
      const answered = new Set(pages.map(({ node }) => node));
      const known = [...directory.list().map(({ hello }) => hello.node), ...asked.map(nameOf)];
      const merged = mergePages(pages, query.limit, directory.hostOf);
      // What a node says of a thread that is known to be elsewhere moves nothing. A copy is not its host: it may come back.
      for (const { threadId, node, imported } of merged.items)
        if (!imported && directory.hostOf(threadId) === null) directory.setHost(threadId, node);
      const unreachable = [...new Set(known)].filter((name) => !answered.has(name)).sort();
      return { ...merged, unreachable };
    },
  };
}

function nameOf({ name }: NodeLink): string {
  return name;
}

function searchOf({ status, workflow, q, key, limit, cursor }: ThreadsQuery): URLSearchParams {
  const search = new URLSearchParams({ limit: String(limit) });
  if (status !== undefined) search.set('status', status.join(','));
  if (workflow !== undefined) search.set('workflow', workflow);
  if (q !== undefined) search.set('q', q);
  if (key !== undefined) search.set('key', key);
  if (cursor !== undefined) search.set('cursor', cursor);
  return search;
}
