import { gatewayRoutes } from '@uncaged/protocol/api';
import { type Allow, LINK_LIMITS as LIMITS } from '@uncaged/protocol/link';
import { describe, expect, it } from 'vitest';
import { createStarter, type Starts } from './start-somewhere.js';
import {
  answering,
  createTestNode,
  directoryOf,
  idOf,
  type JsonAnswer,
  linksOf,
  problemJson,
  summaryOf,
  type TestNode,
} from './test-node.test-data.js';

const PRINCIPAL = { role: 'operator', name: 'ann' } as const;
const HASH = '0123456789ABC';

type StartNode = TestNode & { started: { key: string | undefined; body: unknown }[] };
type NodeOptions = {
  workflows?: { name: string; hash: string | null }[];
  running?: number;
  threads?: number | null;
  labels?: Record<string, string>;
  allow?: Allow[];
  /** Instead of starting. */
  start?: () => JsonAnswer | Promise<JsonAnswer>;
  /** Keys that it knows. */
  keys?: string[];
};

/** A node as far as a start needs it; the same key gives the same thread. */
async function nodeWith(name: string, options: NodeOptions = {}): Promise<StartNode> {
  const {
    workflows = [{ name: 'demo', hash: HASH }],
    running = 0,
    threads = 4,
    labels = {},
    keys = [],
  } = options;
  const started: StartNode['started'] = [];
  const known = new Map(keys.map((key, at) => [key, idOf(at)]));
  const node = await createTestNode({
    name,
    labels,
    ...(options.allow === undefined ? {} : { allow: options.allow }),
    onRequest: answering(async ({ method, path, headers }, body) => {
      const { pathname, searchParams } = new URL(path, 'http://node');
      if (pathname === '/api/node')
        return {
          status: 200,
          json: {
            limits: { threads, bodyBytes: 1, pageEntries: 1 },
            workspaceRoots: [],
            counts: counts(running),
          },
        };
      if (pathname === '/api/workflows')
        return { status: 200, json: { items: workflows, nextCursor: null } };
      if (method === 'GET') {
        const id = known.get(searchParams.get('key')!);
        const items = id === undefined ? [] : [summaryOf(id)];
        return { status: 200, json: { items, nextCursor: null } };
      }
      const key = headers.find(([one]) => one === 'idempotency-key')?.[1];
      started.push({ key, body });
      if (options.start !== undefined) return options.start();
      const threadId = known.get(key ?? '') ?? idOf(started.length + 100);
      if (key !== undefined) known.set(key, threadId);
      return { status: 201, json: { threadId } };
    }),
  });
  return { ...node, started };
}

function counts(running: number) {
  const none = { paused: 0, waiting: 0, interrupted: 0, completed: 9, failed: 0, cancelled: 0 };
  return { ...none, running, queued: 0 };
}

function starterOf(
  nodes: readonly StartNode[],
  away: readonly { node: string; labels?: Record<string, string> }[] = [],
) {
  const kept = new Map<string, string>();
  const starts: Starts = {
    get: (key) => kept.get(key) ?? null,
    set: async (key, node) => void kept.set(key, node),
  };
  const links = linksOf(nodes);
  const directory = directoryOf(nodes, away);
  const limits = { fanOutMs: 1000, link: { ...LIMITS, headMs: 1000 } };
  const starter = createStarter({ links, directory, limits, starts });
  return {
    links,
    directory,
    kept,
    start: (body: Record<string, unknown> = {}, key: string | null = null) =>
      starter.start({
        body: gatewayRoutes.startSomewhere.body.schema.parse({ workflow: 'demo', ...body }),
        key,
        principal: PRINCIPAL,
      }),
  };
}

describe('a start on a named node', () => {
  it('goes there without what is only for the gateway, and its host is known', async () => {
    const [a, b] = await Promise.all([nodeWith('a'), nodeWith('b')]);
    const { start, directory } = starterOf([a, b]);
    const placed = await start({ node: 'b', prompt: 'p', labels: { x: 'y' } });
    expect(placed).toEqual({ threadId: idOf(101), node: 'b' });
    expect(b.started[0]!.body).toEqual({
      workflow: 'demo',
      prompt: 'p',
      inputs: null,
      workspace: null,
      agents: {},
      maxSteps: null,
      maxVisits: null,
      budget: null,
    });
    expect(b.started[0]!.key).toBeUndefined();
    expect(directory.hostOf(idOf(101))).toBe('b');
    expect(a.asked).toHaveLength(0);
  });

  it('says when that is away or was never here, and passes on what it says itself', async () => {
    const a = await nodeWith('a', {
      start: () => problemJson(422, 'invalid-inputs', 'inputs.x is missing'),
    });
    const { start } = starterOf([a], [{ node: 'b' }]);
    await expect(start({ node: 'b' })).rejects.toMatchObject({ code: 'unreachable' });
    await expect(start({ node: 'c' })).rejects.toMatchObject({ code: 'machine-not-found' });
    await expect(start({ node: 'a' })).rejects.toMatchObject({
      code: 'invalid-inputs',
      message: 'inputs.x is missing',
    });
  });
});

describe('a start somewhere', () => {
  it('goes to the least busy node that has the workflow, for its size', async () => {
    const nodes = await Promise.all([
      nodeWith('a', { running: 2, threads: 2 }),
      nodeWith('b', { running: 3, threads: 30 }),
      nodeWith('c', { workflows: [] }),
      nodeWith('d', { threads: null }),
    ]);
    expect((await starterOf(nodes).start()).node).toBe('b');
  });

  it('spreads starts that come at once', async () => {
    const nodes = await Promise.all(['a', 'b', 'c'].map((name) => nodeWith(name)));
    let go = () => {};
    const wait = new Promise<void>((resolve) => {
      go = resolve;
    });
    const slow = await nodeWith('0', {
      start: async () => {
        await wait;
        return { status: 201, json: { threadId: idOf(1) } };
      },
    });
    const { start } = starterOf([slow, ...nodes]);
    const first = start();
    await expect.poll(() => slow.started.length).toBe(1);
    expect((await start()).node).toBe('a');
    go();
    expect((await first).node).toBe('0');
  });

  it('goes only where the labels are and threads may be started', async () => {
    const nodes = await Promise.all([
      nodeWith('a', { labels: { os: 'linux' } }),
      nodeWith('b', { labels: { os: 'linux', gpu: 'yes' }, allow: ['read'] }),
      nodeWith('c', { labels: { os: 'linux', gpu: 'yes' }, running: 9 }),
    ]);
    const { start, links } = starterOf(nodes, [{ node: 'z', labels: { gpu: 'no' } }]);
    expect((await start({ labels: { gpu: 'yes', os: 'linux' } })).node).toBe('c');
    links.set(nodes.slice(0, 2));
    await expect(start({ labels: { gpu: 'no' } })).rejects.toMatchObject({
      code: 'unreachable',
      message: expect.stringContaining('away: z'),
    });
    await expect(start({ labels: { gpu: 'maybe' } })).rejects.toMatchObject({
      code: 'machine-not-found',
      message:
        'No node has gpu=maybe. There are: a (os=linux), b (os=linux, gpu=yes), c (os=linux, gpu=yes), z (gpu=no).',
    });
    const unwilling = starterOf([nodes[1]!]);
    await expect(unwilling.start()).rejects.toMatchObject({ code: 'forbidden' });
    await expect(starterOf([]).start()).rejects.toMatchObject({ code: 'machine-not-found' });
  });

  it('says who was asked when nobody has the workflow, and lets a node speak that has a broken one', async () => {
    const none = await Promise.all([
      nodeWith('a', { workflows: [] }),
      nodeWith('b', { workflows: [] }),
    ]);
    await expect(starterOf(none).start()).rejects.toMatchObject({
      code: 'workflow-not-found',
      message: 'No node has a workflow called demo. Asked: a, b.',
    });
    const broken = await nodeWith('c', {
      workflows: [{ name: 'demo', hash: null }],
      start: () => problemJson(422, 'invalid-definition', 'line 3'),
    });
    await expect(starterOf([...none, broken]).start()).rejects.toMatchObject({ message: 'line 3' });
  });

  it('tries one after the other for a version, and the next one when a node has not begun', async () => {
    const missing = () => problemJson(404, 'version-not-found');
    const nodes = await Promise.all([
      nodeWith('a', { workflows: [], start: missing }),
      nodeWith('b', { workflows: [], running: 1 }),
    ]);
    const { start } = starterOf(nodes);
    expect((await start({ workflow: HASH })).node).toBe('b');
    expect(nodes[0]!.started).toHaveLength(1);
    await expect(starterOf([nodes[0]!]).start({ workflow: HASH })).rejects.toMatchObject({
      code: 'version-not-found',
      message: expect.stringContaining('Asked: a.'),
    });
    await expect(
      starterOf([
        await nodeWith('c', { start: () => problemJson(409, 'in-use') }),
        nodes[1]!,
      ]).start({ workflow: HASH }),
    ).rejects.toMatchObject({ code: 'in-use' });
  });
});

describe('a start with a key', () => {
  it('happens once, however often and however much at once it is asked for', async () => {
    const nodes = await Promise.all([nodeWith('a'), nodeWith('b')]);
    const { start } = starterOf(nodes);
    const placed = await Promise.all([
      start({}, 'k'),
      start({}, 'k'),
      start({}, 'k'),
      start({}, 'other'),
    ]);
    expect(new Set(placed.slice(0, 3).map(({ threadId, node }) => threadId + node)).size).toBe(1);
    const [first] = placed;
    const host = nodes.find(({ link }) => link.name === first!.node)!;
    const other = nodes.find((one) => one !== host)!;
    expect(host.started.filter(({ key }) => key === 'k')).toHaveLength(3);
    expect(other.started.filter(({ key }) => key === 'k')).toHaveLength(0);
  });

  it('waits for its node when that is away, instead of starting twice', async () => {
    const [a, b] = await Promise.all([
      nodeWith('a', { start: () => new Promise(() => undefined) }),
      nodeWith('b', { running: 1 }),
    ]);
    const { start, links, kept } = starterOf([a, b], [{ node: 'x' }]);
    const lost = start({}, 'k');
    await expect.poll(() => a.started.length).toBe(1);
    expect(kept.get('k')).toBe('a');
    const again = start({}, 'k');
    a.cut();
    links.set([b]);
    await Promise.all([
      expect(lost).rejects.toMatchObject({ code: 'link-lost' }),
      expect(again).rejects.toMatchObject({ code: 'unreachable' }),
    ]);
    await expect(start({ node: 'b' }, 'k')).rejects.toMatchObject({ code: 'idempotency-conflict' });
    expect(b.started).toHaveLength(0);
  });

  it('goes to the node that knows the key, although the gateway does not', async () => {
    const nodes = await Promise.all([nodeWith('a'), nodeWith('b', { running: 9, keys: ['k'] })]);
    expect(await starterOf(nodes).start({}, 'k')).toEqual({ threadId: idOf(0), node: 'b' });
  });

  it('is kept before the node is asked, and not started when it cannot be', async () => {
    const a = await nodeWith('a');
    const starts: Starts = {
      get: () => null,
      set: () => Promise.reject(new Error('disk full')),
    };
    const { starter } = {
      starter: createStarter({
        links: linksOf([a]),
        directory: directoryOf([a]),
        limits: { fanOutMs: 1000, link: LIMITS },
        starts,
      }),
    };
    const body = gatewayRoutes.startSomewhere.body.schema.parse({ workflow: 'demo' });
    await expect(starter.start({ body, key: 'k', principal: PRINCIPAL })).rejects.toThrow(
      'disk full',
    );
    expect(a.started).toHaveLength(0);
  });
});
