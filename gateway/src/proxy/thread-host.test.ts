import { isProblem } from '@uncaged/protocol/problem';
import { describe, expect, it } from 'vitest';
import { createCopies } from './copies.js';
import { COPIES_MAX, LOOKS_MAX } from './limits.js';
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
import { createThreadHosts } from './thread-host.js';

const ID = idOf(1);

/** A node that has these threads, or only copies of them. */
function nodeWith(
  name: string,
  ids: readonly string[],
  wait?: Promise<void>,
  imported = false,
): Promise<TestNode> {
  return createTestNode({
    name,
    onRequest: answering(async ({ path }) => {
      await wait;
      const id = path.slice('/api/threads/'.length);
      return ids.includes(id)
        ? { status: 200, json: { ...summaryOf(id), imported } }
        : problemJson(404, 'thread-not-found');
    }),
  });
}
const silent = (name: string): Promise<TestNode> =>
  createTestNode({
    name,
    onRequest: ({ signal }) =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
  });

function hostsOf(
  nodes: readonly TestNode[],
  away: readonly { node: string }[] = [],
  fanOutMs = 3000,
) {
  const links = linksOf(nodes);
  const directory = directoryOf(nodes, away);
  const clock = { now: 1_000_000 };
  const limits = { fanOutMs, backSoonMs: 60_000 };
  const hosts = createThreadHosts({ links, directory, limits, now: () => clock.now });
  return { links, directory, hosts, clock };
}

describe('the node that has a thread', () => {
  it('is found by asking all; the first that has it wins, the others are called off, and it is remembered', async () => {
    const [a, b, c] = await Promise.all([nodeWith('a', []), nodeWith('b', [ID]), silent('c')]);
    const { hosts, directory } = hostsOf([a, b, c]);
    expect(await hosts.find(ID)).toBe(b.link);
    expect(directory.hostOf(ID)).toBe('b');
    expect(hosts.find(ID)).toBe(b.link);
    await expect.poll(() => c.link.mux.openStreams()).toBe(0);
    expect(b.asked.map(({ path }) => path)).toEqual([`/api/threads/${ID}`]);
  });

  it('is looked for once, however many ask at once', async () => {
    const a = await nodeWith('a', [ID]);
    const { hosts } = hostsOf([a]);
    const found = await Promise.all([hosts.find(ID), hosts.find(ID), hosts.hostOf(ID)]);
    expect(found).toEqual([a.link, a.link, 'a']);
    expect(a.asked).toHaveLength(1);
  });

  it('is not looked for without bound', async () => {
    let go = () => {};
    const wait = new Promise<void>((resolve) => {
      go = resolve;
    });
    const a = await nodeWith('a', [], wait);
    const { hosts } = hostsOf([a]);
    const looks = Array.from({ length: LOOKS_MAX }, (_, at) => hosts.hostOf(idOf(at)));
    expect(() => hosts.find(idOf(LOOKS_MAX))).toThrow(
      expect.objectContaining({ code: 'overloaded' }),
    );
    expect(await hosts.hostOf(idOf(LOOKS_MAX))).toBeNull();
    go();
    expect(new Set(await Promise.all(looks))).toEqual(new Set([null]));
    await expect(hosts.find(idOf(LOOKS_MAX))).rejects.toMatchObject({ code: 'thread-not-found' });
    expect(a.asked).toHaveLength(LOOKS_MAX + 1);
  });

  it('is nowhere: the text names the nodes that could not be asked, and nothing is remembered', async () => {
    const [a, b, liar] = await Promise.all([
      nodeWith('a', []),
      silent('b'),
      createTestNode({
        name: 'd',
        onRequest: answering(() => ({ status: 200, json: summaryOf(idOf(9)) })),
      }),
    ]);
    const { hosts, directory } = hostsOf([a, b, liar], [{ node: 'c' }], 30);
    const problem = await Promise.resolve(hosts.find(ID)).catch((error: unknown) => error);
    expect(isProblem(problem, 'unreachable') && problem.message).toMatch(
      /b did not answer in time, c is not connected, d failed/,
    );
    expect(directory.hostOf(ID)).toBeNull();
    await expect(hosts.find(ID)).rejects.toMatchObject({ code: 'unreachable' });
    expect(a.asked).toHaveLength(2);
    await expect(hostsOf([a]).hosts.find(ID)).rejects.toThrow(/^No node has a thread/);
    await expect(hostsOf([]).hosts.find(ID)).rejects.toMatchObject({ code: 'thread-not-found' });
  });

  it('may be one that has just gone, or that has not dialled since the start; after a minute it is not waited for', async () => {
    const { hosts, clock } = hostsOf([], [{ node: 'c' }]);
    await expect(hosts.find(ID)).rejects.toMatchObject({ code: 'unreachable' });
    clock.now += 60_000;
    const problem = await Promise.resolve(hosts.find(ID)).catch((error: unknown) => error);
    expect(isProblem(problem, 'thread-not-found') && problem.message).toMatch(/c is not connected/);
  });

  it('is away: that is said with its name, unless another has it by now', async () => {
    const [a, b] = await Promise.all([nodeWith('a', []), nodeWith('b', [ID])]);
    const { hosts, directory, links } = hostsOf([a], [{ node: 'c' }]);
    directory.setHost(ID, 'c');
    await expect(hosts.find(ID)).rejects.toMatchObject({
      code: 'unreachable',
      message: expect.stringContaining('on c, which is not connected'),
    });
    links.set([a, b]);
    expect(await hosts.find(ID)).toBe(b.link);
    expect(directory.hostOf(ID)).toBe('b');
  });

  it('is forgotten when it says that it has not got it', async () => {
    const a = await nodeWith('a', [ID]);
    const { hosts, directory } = hostsOf([a]);
    await hosts.find(ID);
    hosts.answered(ID, 'a', 200);
    hosts.answered(ID, 'b', 404);
    expect(directory.hostOf(ID)).toBe('a');
    hosts.answered(ID, 'a', 404);
    expect(directory.hostOf(ID)).toBeNull();
  });
});

describe('a thread that a pack has carried to another node', () => {
  const copyOn = (name: string) => nodeWith(name, [ID], undefined, true);

  it('is asked for where it is itself, though the copy answers first', async () => {
    let go = () => {};
    const wait = new Promise<void>((resolve) => {
      go = resolve;
    });
    const [copy, original] = await Promise.all([copyOn('b'), nodeWith('a', [ID], wait)]);
    const { hosts, directory } = hostsOf([copy, original]);
    const found = hosts.find(ID);
    await expect.poll(() => copy.asked.length).toBe(1);
    go();
    expect(await found).toBe(original.link);
    expect(directory.hostOf(ID)).toBe('a');
  });

  it('is read from the copy while its node is away, and from itself once that is back', async () => {
    const [copy, original] = await Promise.all([copyOn('b'), nodeWith('a', [ID])]);
    const { hosts, directory, links } = hostsOf([copy], [{ node: 'a' }]);
    directory.setHost(ID, 'a');
    expect(await hosts.find(ID)).toBe(copy.link);
    expect(await hosts.find(ID)).toBe(copy.link);
    expect(copy.asked).toHaveLength(1);
    expect(directory.hostOf(ID)).toBe('a');
    links.set([copy, original]);
    expect(await hosts.find(ID)).toBe(original.link);
  });

  it('is looked for anew after some seconds, when another node comes, and when the copy is gone', async () => {
    const [copy, other] = await Promise.all([copyOn('b'), nodeWith('c', [])]);
    const { hosts, links, clock } = hostsOf([copy]);
    const looks = async () => {
      expect(await hosts.find(ID)).toBe(copy.link);
      return copy.asked.length;
    };
    expect([await looks(), await looks()]).toEqual([1, 1]);
    clock.now += 5_000;
    expect([await looks(), await looks()]).toEqual([2, 2]);
    links.set([copy, other]);
    expect([await looks(), await looks()]).toEqual([3, 3]);
    hosts.answered(ID, 'b', 404);
    expect(await looks()).toBe(4);
  });

  it('has no unbounded number of copies remembered', async () => {
    const copies = createCopies({ links: linksOf([]), now: () => 0 });
    const { link } = await nodeWith('a', []);
    for (let n = 0; n <= COPIES_MAX; n += 1) copies.set(idOf(n), link);
    expect(copies.get(idOf(0))).toBeNull();
    expect(copies.get(idOf(1))).toBe(link);
    copies.drop(idOf(1));
    expect(copies.get(idOf(1))).toBeNull();
  });
});
