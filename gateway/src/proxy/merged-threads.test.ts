import { gatewayRoutes } from '@uncaged/protocol/api';
import { describe, expect, it } from 'vitest';
import { createMergedThreads } from './merged-threads.js';
import {
  answering,
  createTestNode,
  directoryOf,
  idOf,
  linksOf,
  problemJson,
  summaryOf,
  type TestNode,
} from './test-node.test-data.js';

const PRINCIPAL = { role: 'viewer', name: 'ann' } as const;

/** A node that pages through these threads as nodes do. */
function nodeWith(name: string, numbers: readonly number[], imported = false): Promise<TestNode> {
  const ids = numbers.map(idOf).sort().reverse();
  return createTestNode({
    name,
    onRequest: answering(({ path }) => {
      const query = new URL(path, 'http://node').searchParams;
      const cursor = query.get('cursor');
      const rest = ids.filter((id) => cursor === null || id < cursor);
      const items = rest.slice(0, Number(query.get('limit')));
      const nextCursor = items.length < rest.length ? items.at(-1)! : null;
      return {
        status: 200,
        json: { items: items.map((id) => ({ ...summaryOf(id), imported })), nextCursor },
      };
    }),
  });
}

function listOf(
  nodes: readonly TestNode[],
  away: readonly { node: string }[] = [],
  fanOutMs = 3000,
) {
  const directory = directoryOf(nodes, away);
  const merged = createMergedThreads({ links: linksOf(nodes), directory, limits: { fanOutMs } });
  return {
    directory,
    list: (query: Record<string, string> = {}) =>
      merged.list({ query: gatewayRoutes.listAllThreads.query.parse(query), principal: PRINCIPAL }),
  };
}

describe('the list of all threads', () => {
  it('leads through the threads of every node, newest first, with their node', async () => {
    const nodes = await Promise.all([
      nodeWith('a', [1, 4, 5, 9]),
      nodeWith('b', [2, 3, 8]),
      nodeWith('c', []),
    ]);
    const { list, directory } = listOf(nodes);
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page = await list({ limit: '2', ...(cursor === null ? {} : { cursor }) });
      expect(page.items.length).toBe(seen.length === 6 ? 1 : 2);
      expect(page.unreachable).toEqual([]);
      seen.push(...page.items.map(({ threadId, node }) => `${Number(threadId.slice(3))}${node}`));
      cursor = page.nextCursor;
    } while (cursor !== null);
    expect(seen).toEqual(['9a', '8b', '5a', '4a', '3b', '2b', '1a']);
    expect(directory.hostOf(idOf(3))).toBe('b');
  });

  it('passes on what is asked for', async () => {
    const a = await nodeWith('a', []);
    const { list } = listOf([a]);
    await list({ status: 'running,queued', workflow: 'demo', q: 'a b&c+é', key: 'k+/&=%' });
    const query = new URL(a.asked[0]!.path, 'http://node').searchParams;
    expect(Object.fromEntries(query)).toEqual({
      limit: '50',
      status: 'running,queued',
      workflow: 'demo',
      q: 'a b&c+é',
      key: 'k+/&=%',
    });
  });

  it('names the nodes that are away, silent, or do not answer as they should, and gives the rest', async () => {
    const json = (name: string, body: unknown) =>
      createTestNode({ name, onRequest: answering(() => ({ status: 200, json: body })) });
    const nodes = await Promise.all([
      nodeWith('good', [1]),
      createTestNode({
        name: 'silent',
        onRequest: ({ signal }) =>
          new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
      }),
      json('garbage', [1]),
      json('disorder', { items: [summaryOf(idOf(1)), summaryOf(idOf(2))], nextCursor: null }),
      json('injected', { items: [{ ...summaryOf(idOf(3)), threadId: '../x' }], nextCursor: null }),
      createTestNode({ name: 'failing', onRequest: answering(() => problemJson(500, 'internal')) }),
    ]);
    const { list } = listOf(nodes, [{ node: 'away' }], 100);
    const { items, nextCursor, unreachable } = await list();
    expect(items.map(({ node }) => node)).toEqual(['good']);
    expect(nextCursor).toBeNull();
    expect(unreachable).toEqual(['away', 'disorder', 'failing', 'garbage', 'injected', 'silent']);
  });

  it('has a thread and its copy once, and does not take the node of the copy for its host', async () => {
    const [copy, original] = await Promise.all([nodeWith('a', [1], true), nodeWith('b', [1])]);
    const alone = listOf([copy], [{ node: 'b' }]);
    expect((await alone.list()).items).toMatchObject([{ node: 'a', imported: true }]);
    expect(alone.directory.hostOf(idOf(1))).toBeNull();
    const both = listOf([copy, original]);
    expect((await both.list()).items).toMatchObject([{ node: 'b', imported: false }]);
    expect(both.directory.hostOf(idOf(1))).toBe('b');
  });

  it('is empty when there is nobody, and does not move a thread that is known to be elsewhere', async () => {
    expect(await listOf([]).list()).toEqual({ items: [], nextCursor: null, unreachable: [] });
    const a = await nodeWith('a', [1]);
    const { list, directory } = listOf([a], [{ node: 'b' }]);
    directory.setHost(idOf(1), 'b');
    await list();
    expect(directory.hostOf(idOf(1))).toBe('b');
  });
});
