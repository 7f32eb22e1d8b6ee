import { unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MachineDetail, MachineJson, PlacedThread } from '@uncaged/protocol/api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../support/until.js';
import { chain, oneScript } from '../support/workflows.js';
import { createFleet, FLEET_TEST_MAX_MS, type Fleet, type FleetNode } from './fleet.js';

/** What a node that is there may take while another one is not, ms. */
const ANSWER_MAX_MS = 2_000;
const THREADS_A_NODE = 30;

type Started = { threadId: string; node: string };
type Page = { items: PlacedThread[]; nextCursor: string | null; unreachable: string[] };

describe('two nodes behind one gateway', { timeout: FLEET_TEST_MAX_MS }, () => {
  let fleet: Fleet;
  let one: FleetNode;
  let two: FleetNode;
  beforeAll(async () => {
    fleet = await createFleet();
    const quick = oneScript('quick', 'true');
    const gated = chain('gated', 3, (n) =>
      n === 2 ? 'while [ ! -e "$HOME/gate" ]; do sleep 0.05; done' : 'true',
    );
    const [first, second] = await Promise.all([
      fleet.add({ name: 'one', labels: 'zone=eu,os=linux', workflows: { quick, gated } }),
      fleet.add({
        name: 'two',
        labels: 'zone=us,os=linux',
        workflows: { quick, gated, only: oneScript('only', 'true') },
      }),
    ]);
    one = first;
    two = second;
  }, FLEET_TEST_MAX_MS);
  afterAll(() => fleet.end(), FLEET_TEST_MAX_MS);

  const startAt = (body: object, headers: Record<string, string> = {}) =>
    fleet.gateway.ask('POST', '/api/threads', { body: { workflow: 'quick', ...body }, headers });
  const started = async (body: object, key?: string): Promise<Started> => {
    const response = await startAt(body, key === undefined ? {} : { 'idempotency-key': key });
    expect(response.status).toBe(201);
    return (await response.json()) as Started;
  };
  const codeOf = async (response: Response) =>
    [response.status, ((await response.json()) as { code: string }).code] as const;
  const page = (query = '') => fleet.gateway.json<Page>('GET', `/api/threads${query}`);
  const statusOf = async (id: string) =>
    (await fleet.gateway.json<PlacedThread>('GET', `/api/threads/${id}`)).status;
  const untilStatus = (id: string, status: string) => {
    let seen = '';
    return until(
      () => `${id} is ${status}; it is ${seen}`,
      async () => {
        seen = await statusOf(id);
        return seen === status;
      },
    );
  };
  /** Threads that several nodes have, or all that one has started with a key. */
  const withKey = async (key: string) => {
    const lists = await Promise.all(
      ['one', 'two'].map((node) =>
        fleet.gateway.json<Page>('GET', `/api/nodes/${node}/threads?key=${key}`),
      ),
    );
    return lists.flatMap(({ items }) => items.map(({ threadId }) => threadId));
  };

  it('are listed with what they said of themselves', async () => {
    const { items } = await fleet.gateway.json<{ items: MachineJson[] }>('GET', '/api/nodes');
    expect(items.map(({ name, state, labels }) => ({ name, state, labels }))).toEqual([
      { name: 'one', state: 'online', labels: { zone: 'eu', os: 'linux' } },
      { name: 'two', state: 'online', labels: { zone: 'us', os: 'linux' } },
    ]);
    const roots = await Promise.all(
      items.map(({ name }) => fleet.gateway.json('GET', `/api/nodes/${name}/node`)),
    );
    expect(roots.map(({ name }) => name)).toEqual(['one', 'two']);
  });

  it('run what is started by name, by label and where the workflow is, in one list', async () => {
    const byName = await started({ node: 'two' });
    const byLabel = await started({ labels: { zone: 'eu' } });
    const byWorkflow = await started({ workflow: 'only' });
    const anywhere = await started({});
    expect([byName.node, byLabel.node, byWorkflow.node]).toEqual(['two', 'one', 'two']);
    expect(['one', 'two']).toContain(anywhere.node);
    expect(await codeOf(await startAt({ labels: { zone: 'mars' } }))).toEqual([
      404,
      'machine-not-found',
    ]);
    expect(await codeOf(await startAt({ workflow: 'nowhere' }))).toEqual([
      404,
      'workflow-not-found',
    ]);
    expect(await codeOf(await startAt({ node: 'three' }))).toEqual([404, 'machine-not-found']);
    for (const { threadId } of [byName, byLabel, byWorkflow, anywhere])
      await untilStatus(threadId, 'completed');
    const { items, unreachable } = await page();
    expect(unreachable).toEqual([]);
    expect(items.map(({ threadId, node }) => ({ threadId, node }))).toEqual(
      [byName, byLabel, byWorkflow, anywhere].sort((a, b) => (a.threadId < b.threadId ? 1 : -1)),
    );
  });

  it('are paged through as one: each thread once, newest first', async () => {
    const ids: string[] = [];
    const startAll = async (node: string) => {
      for (let n = 0; n < THREADS_A_NODE; n++) ids.push((await started({ node })).threadId);
    };
    await Promise.all([startAll('one'), startAll('two')]);
    for (const limit of [7, 50]) {
      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const { items, nextCursor }: Page = await page(
          `?workflow=quick&limit=${limit}${cursor === null ? '' : `&cursor=${cursor}`}`,
        );
        expect(items.length).toBeLessThanOrEqual(limit);
        seen.push(...items.map(({ threadId }) => threadId));
        cursor = nextCursor;
      } while (cursor !== null);
      expect(seen).toEqual([...seen].sort().reverse());
      expect(new Set(seen).size).toBe(seen.length);
      expect(ids.filter((id) => !seen.includes(id))).toEqual([]);
    }
    await until('all of them have ended', async () => {
      const { items } = await page('?status=queued,running');
      return items.length === 0;
    });
  });

  it('start a thread once per Idempotency-Key, one after the other and at once', async () => {
    const first = await started({}, 'again');
    expect(await started({}, 'again')).toEqual(first);
    expect(await started({ node: first.node }, 'again')).toEqual(first);
    const answers = await Promise.all(Array.from({ length: 12 }, () => started({}, 'at-once')));
    expect(new Set(answers.map(({ threadId }) => threadId)).size).toBe(1);
    expect(await withKey('again')).toEqual([first.threadId]);
    expect(await withKey('at-once')).toEqual([answers[0]!.threadId]);
    const other = await startAt({ prompt: 'something else' }, { 'idempotency-key': 'again' });
    expect(await codeOf(other)).toEqual([409, 'idempotency-conflict']);
    const elsewhere = first.node === 'one' ? 'two' : 'one';
    const moved = await startAt({ node: elsewhere }, { 'idempotency-key': 'again' });
    expect(await codeOf(moved)).toEqual([409, 'idempotency-conflict']);
  });

  it('know a key again after the gateway was killed', async () => {
    const first = await started({}, 'outlives');
    await fleet.gateway.service().kill();
    await fleet.gateway.restart();
    await Promise.all([fleet.gateway.untilNode('one'), fleet.gateway.untilNode('two')]);
    expect(await started({}, 'outlives')).toEqual(first);
    expect(await withKey('outlives')).toEqual([first.threadId]);
  });

  it('obey pause, resume and kill wherever the thread is', async () => {
    for (const { name, machine } of [one, two]) {
      const { threadId } = await started({ workflow: 'gated', node: name });
      await until(`${name} is at the gate`, async () => {
        const { items } = await fleet.gateway.json<{ items: { role: string }[] }>(
          'GET',
          `/api/threads/${threadId}/steps`,
        );
        return items.at(-1)?.role === 's2';
      });
      const order = async (what: string) => {
        const response = await fleet.gateway.ask('POST', `/api/threads/${threadId}/${what}`);
        expect(response.status).toBe(202);
        return (await response.json()) as { status: string; desired: string };
      };
      expect(await order('pause')).toMatchObject({ desired: 'pause' });
      writeFileSync(join(machine.cwd, 'gate'), '');
      await untilStatus(threadId, 'paused');
      expect(await order('resume')).toMatchObject({ desired: 'run' });
      await untilStatus(threadId, 'completed');
      const late = await fleet.gateway.ask('POST', `/api/threads/${threadId}/kill`);
      expect(late.status).toBe(409);
    }
  });

  it('end a thread that is killed through the gateway, with its script', async () => {
    unlinkSync(join(two.machine.cwd, 'gate'));
    const { threadId } = await started({ workflow: 'gated', node: 'two' });
    await untilStatus(threadId, 'running');
    const killed = await fleet.gateway.ask('POST', `/api/threads/${threadId}/kill`);
    expect(killed.status).toBe(202);
    await untilStatus(threadId, 'cancelled');
  });

  it('fail one by one: the other answers in time, and what is missing is named', async () => {
    const kept = await started({ node: 'one' }, 'on-one');
    const other = await started({ node: 'two' });
    await untilStatus(kept.threadId, 'completed');
    await until('the gateway has seen its newest thread', async () => {
      const { threads } = await fleet.gateway.json<MachineDetail>('GET', '/api/nodes/one');
      return threads.some(
        ({ threadId, status }) => threadId === kept.threadId && status === 'completed',
      );
    });
    await one.service().kill();

    const timed = async <T>(work: () => Promise<T>): Promise<T> => {
      const since = performance.now();
      const result = await work();
      expect(performance.now() - since).toBeLessThan(ANSWER_MAX_MS);
      return result;
    };
    // From the very moment of the kill on.
    for (let n = 0; n < 5; n++) {
      await timed(() => fleet.gateway.json('GET', '/api/nodes/two/node'));
      await timed(() => fleet.gateway.json('GET', `/api/threads/${other.threadId}`));
      const list = await timed(() => page());
      expect(list.items.some(({ threadId }) => threadId === other.threadId)).toBe(true);
      if (list.unreachable.length > 0) expect(list.unreachable).toEqual(['one']);
    }
    await fleet.gateway.untilNode('one', 'offline');
    const { unreachable, items } = await page('?limit=200');
    expect(unreachable).toEqual(['one']);
    expect(new Set(items.map(({ node }) => node))).toEqual(new Set(['two']));

    const paths = [kept.threadId, `${kept.threadId}/steps`, `${kept.threadId}/events`];
    for (const path of paths)
      expect(await codeOf(await fleet.gateway.ask('GET', `/api/threads/${path}`))).toEqual([
        503,
        'unreachable',
      ]);
    expect(
      await codeOf(await fleet.gateway.ask('POST', `/api/threads/${kept.threadId}/kill`)),
    ).toEqual([503, 'unreachable']);
    expect(await codeOf(await fleet.gateway.ask('GET', '/api/nodes/one/node'))).toEqual([
      503,
      'unreachable',
    ]);
    const again = await startAt({}, { 'idempotency-key': 'on-one' });
    expect(await codeOf(again)).toEqual([503, 'unreachable']);
    const elsewhere = await fleet.gateway.json<Page>('GET', '/api/nodes/two/threads?key=on-one');
    expect(elsewhere.items).toEqual([]);
    expect((await started({})).node).toBe('two');

    const detail = await fleet.gateway.json<MachineDetail>('GET', '/api/nodes/one');
    expect(detail).toMatchObject({ state: 'offline', labels: { zone: 'eu' }, rttMs: null });
    expect(detail.node).toMatchObject({ name: 'one' });
    expect(detail.threads[0]).toMatchObject({ threadId: kept.threadId, status: 'completed' });

    // A gateway that has just begun knows what it gave to whom, and that the node may come back.
    await fleet.gateway.service().kill();
    await fleet.gateway.restart();
    await fleet.gateway.untilNode('two');
    expect(await codeOf(await startAt({}, { 'idempotency-key': 'on-one' }))).toEqual([
      503,
      'unreachable',
    ]);
    expect(await codeOf(await fleet.gateway.ask('GET', `/api/threads/${kept.threadId}`))).toEqual([
      503,
      'unreachable',
    ]);
    expect((await page()).unreachable).toEqual(['one']);

    await one.start();
    expect(await statusOf(kept.threadId)).toBe('completed');
    expect((await page()).unreachable).toEqual([]);
    expect(await started({ node: 'one' }, 'on-one')).toEqual(kept);
  });

  it('come back by themselves when the gateway was away for a while', async () => {
    await fleet.gateway.service().kill();
    await until('both have noticed', () =>
      [one, two].every(({ service }) => /Next try in/.test(service().output.stderr)),
    );
    await fleet.gateway.restart();
    await Promise.all([fleet.gateway.untilNode('one'), fleet.gateway.untilNode('two')]);
    expect((await page()).unreachable).toEqual([]);
  });
});
