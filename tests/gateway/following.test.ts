import { setTimeout as sleep } from 'node:timers/promises';
import type { EventJson, StepJson } from '@uncaged/protocol/api';
import type { GatewayClient, ThreadMessage } from '@uncaged/protocol/api/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTcpProxy, type TcpProxy } from '../link/tcp-proxy.js';
import { isAlive } from '../support/processes.js';
import { until } from '../support/until.js';
import { chain } from '../support/workflows.js';
import { clientOf, createFleet, FLEET_TEST_MAX_MS, type Fleet, type FleetNode } from './fleet.js';

const STEPS = 20;
/** A client in a hurry: what ships waits half a second and more before it comes back. */
const LIMITS = { silenceMs: 5_000, backoffMinMs: 20, backoffMaxMs: 200 };
/** Far above what a thread takes with everything that is done to it. */
const THREAD_MAX_MS = 90_000;

/** What a client that follows a thread was told. */
type Following = {
  messages: ThreadMessage[];
  /** `<seq>` of all that has an id, as they came. */
  seqs: () => number[];
  committed: () => number;
  connections: () => number;
  done: Promise<void>;
};

function followThread(client: GatewayClient, id: string): Following {
  const messages: ThreadMessage[] = [];
  let connections = 0;
  const giveUp = AbortSignal.timeout(THREAD_MAX_MS);
  const done = client
    .followThread({
      params: { id },
      limits: LIMITS,
      signal: giveUp,
      onEvent: (message) => void messages.push(message),
      onState: ({ state }) => {
        if (state === 'open') connections += 1;
      },
    })
    .then((end) => {
      if (end.reason !== 'done')
        throw new Error(
          `ended as ${end.reason}: ${end.reason === 'refused' ? end.problem.message : ''}`,
        );
    });
  // Whoever waits for it hears of it; until then it is not unhandled.
  done.catch(() => undefined);
  return {
    messages,
    seqs: () => messages.filter(({ id: eventId }) => eventId !== null).map(seqOf),
    committed: () => messages.filter(({ event }) => event === 'step.committed').length,
    connections: () => connections,
    done,
  };
}

const seqOf = ({ data }: { data: object }) => (data as { seq: number }).seq;

describe('following a thread through the gateway', { timeout: FLEET_TEST_MAX_MS }, () => {
  let fleet: Fleet;
  let node: FleetNode;
  /** Between the node and the gateway. */
  let link: TcpProxy;
  /** Between the client and the gateway. */
  let road: TcpProxy;
  beforeAll(async () => {
    fleet = await createFleet();
    [link, road] = await Promise.all([
      openTcpProxy(fleet.gateway.port),
      openTcpProxy(fleet.gateway.port),
    ]);
    const long = chain('long', STEPS, (n) => `echo step ${n}; sleep 0.1`);
    node = await fleet.add({
      name: 'one',
      urls: [`http://127.0.0.1:${link.port}`],
      workflows: { long },
    });
  }, FLEET_TEST_MAX_MS);
  afterAll(async () => {
    await fleet.end();
    await Promise.all([link.close(), road.close()]);
  }, FLEET_TEST_MAX_MS);

  const startAndFollow = async () => {
    const { threadId } = await fleet.client.startSomewhere({
      body: { workflow: 'long', node: 'one' },
    });
    const client = clientOf(fleet.gateway, `http://127.0.0.1:${road.port}`);
    return { threadId, following: followThread(client, threadId) };
  };
  const untilCommitted = (following: Following, count: number) =>
    until(`${count} steps were committed`, () => following.committed() >= count, THREAD_MAX_MS);

  /** Everything once and in order, as somebody sees it who comes when all is over. */
  const expectWhole = async (threadId: string, { seqs, messages, done }: Following) => {
    await done;
    const late = followThread(fleet.client, threadId);
    await late.done;
    expect(seqs()).toEqual(late.seqs());
    expect(seqs()).toEqual([...new Set(seqs())].sort((a, b) => a - b));
    expect(messages.filter(({ event }) => event === 'resync')).toEqual([]);
    expect(messages.at(-1)).toMatchObject({
      event: 'done',
      data: { thread: threadId, status: 'completed', returnCode: 0 },
    });
    const committed = messages.filter(({ event }) => event === 'step.committed');
    expect(committed.map(({ data }) => (data as EventJson).data.seq)).toEqual(
      Array.from({ length: STEPS }, (_, n) => n + 1),
    );
    const { items } = await fleet.client.listThreadSteps({
      params: { id: threadId },
      query: { limit: 200 },
    });
    const whole = items.filter(({ status }: StepJson) => status === 'committed');
    expect(whole.map(({ role }: StepJson) => role)).toEqual(
      Array.from({ length: STEPS }, (_, n) => `s${n + 1}`),
    );
  };

  it('misses and repeats nothing when the client is cut off at any moment', async () => {
    const { threadId, following } = await startAndFollow();
    let isOver = false;
    void following.done.finally(() => {
      isOver = true;
    });
    let cuts = 0;
    while (!isOver) {
      await sleep(Math.random() * 150);
      road.cut();
      cuts += 1;
    }
    await expectWhole(threadId, following);
    expect(cuts).toBeGreaterThan(5);
    expect(following.connections()).toBeGreaterThan(5);
  });

  it('misses and repeats nothing when the link is reset again and again', async () => {
    const { threadId, following } = await startAndFollow();
    for (const count of [1, 3, 5, 8, 12, 16]) {
      await untilCommitted(following, count);
      link.cut();
    }
    await expectWhole(threadId, following);
    expect(following.connections()).toBeGreaterThan(1);
  });

  it('misses and repeats nothing when the link stands still without a word', async () => {
    const { threadId, following } = await startAndFollow();
    await untilCommitted(following, 3);
    link.freeze();
    await fleet.gateway.untilNode('one', 'offline');
    link.thaw();
    await fleet.gateway.untilNode('one');
    await expectWhole(threadId, following);
  });

  it('misses and repeats nothing when the gateway is killed and started again', async () => {
    const { threadId, following } = await startAndFollow();
    for (const count of [2, 9]) {
      await untilCommitted(following, count);
      await fleet.gateway.service().kill();
      await fleet.gateway.restart();
    }
    await expectWhole(threadId, following);
    expect(following.connections()).toBeGreaterThan(1);
  });

  it('misses and repeats nothing when `uwf connect` is killed and started again', async () => {
    const { threadId, following } = await startAndFollow();
    await untilCommitted(following, 3);
    await node.service().kill();
    await node.start();
    await expectWhole(threadId, following);
  });

  it('misses and repeats nothing when the worker is killed: the node goes on with the step', async () => {
    const { threadId, following } = await startAndFollow();
    await untilCommitted(following, 4);
    const { owner } = await fleet.client.getThread({ params: { id: threadId } });
    process.kill(owner!.pid, 'SIGKILL');
    await until('the worker is gone', () => !isAlive(owner!.pid));
    await expectWhole(threadId, following);
    const events = following.messages.map(({ event }) => event);
    expect(events).toContain('thread.interrupted');
    expect(events).toContain('thread.resumed');
  });
});
