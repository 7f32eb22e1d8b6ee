import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTcpProxy, type TcpProxy } from '../link/tcp-proxy.js';
import { until } from '../support/until.js';
import { chain } from '../support/workflows.js';
import { createFleet, FLEET_TEST_MAX_MS, type Fleet, type FleetNode } from './fleet.js';
import { buildTestNode, startTestNode } from './test-node.js';

/** Nodes that only answer; one more runs threads. */
const NODES = 5;
const CUTS = Number(process.env.UWF_TEST_CUTS ?? 30);
const REQUESTS_AT_ONCE = 20;
const READERS = 6;
const STEPS = 12;
const LIMITS = { heartbeatMs: 200, silenceMs: 1_500, flushMs: 1_500, headMs: 3_000 };
const NODE_LIMITS = { ...LIMITS, retryMinMs: 30, retryMaxMs: 150 };
/** What any request may take: the head of an answer that does not come, and a link that is silent, with room for two cores. */
const EXCHANGE_MAX_MS = 8_000;
/** A mean time between two cuts; a link needs some of it to be there again. */
const CUT_EVERY_MS = 400;
/** What a request may be answered with while links are cut. */
const FAILURES = new Set(['link-lost', 'unreachable', 'node-timeout', 'overloaded']);

type Named = { node: string; method: string; pathname: string; body: string };

describe('links that are cut again and again while work goes on', {
  timeout: FLEET_TEST_MAX_MS,
}, () => {
  let fleet: Fleet;
  let worker: FleetNode;
  const proxies = new Map<string, TcpProxy>();
  const names = Array.from({ length: NODES }, (_, n) => `plain-${n + 1}`);
  beforeAll(async () => {
    fleet = await createFleet({
      limits: { link: LIMITS, fanOutMs: 1_000 },
      nodeLimits: NODE_LIMITS,
    });
    const program = await buildTestNode('cuts', fleet);
    for (const name of [...names, 'worker'])
      proxies.set(name, await openTcpProxy(fleet.gateway.port));
    const urlOf = (name: string) => `http://127.0.0.1:${proxies.get(name)!.port}`;
    worker = await fleet.add({
      name: 'worker',
      urls: [urlOf('worker')],
      workflows: { long: chain('long', STEPS, (n) => `echo ${n}; sleep 0.3`) },
    });
    for (const name of names)
      await startTestNode(program, fleet, { name, url: urlOf(name), limits: NODE_LIMITS });
  }, FLEET_TEST_MAX_MS);
  afterAll(async () => {
    await fleet.end();
    for (const proxy of proxies.values()) await proxy.close();
  }, FLEET_TEST_MAX_MS);

  it(
    'leave nothing hanging, give each answer to its request and each event to its reader once',
    async () => {
      let isOver = false;
      const outcomes = new Map<string, number>();
      let slowest = 0;
      const count = (outcome: string) => outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);

      /** Asks for what only this request can be answered with. */
      const exchange = async (id: string, n: number): Promise<string> => {
        const node = names[n % names.length]!;
        const method = n % 3 === 0 ? 'GET' : 'POST';
        const path = `/named/${id}?ms=${n % 60}`;
        const sent =
          method === 'GET' ? '' : JSON.stringify({ id, filler: 'x'.repeat((n * 7919) % 90_000) });
        const response = await fetch(`${fleet.gateway.url}/api/nodes/${node}${path}`, {
          method,
          headers: {
            authorization: `Bearer ${fleet.gateway.key}`,
            'content-type': 'application/json',
          },
          ...(method === 'GET' ? {} : { body: sent }),
          signal: AbortSignal.timeout(EXCHANGE_MAX_MS),
        });
        let text: string;
        try {
          text = await response.text();
        } catch (error) {
          // Cut after the head: the answer is not whole, and does not look so.
          if (response.ok && (error as Error).name !== 'TimeoutError') return 'broken off';
          throw error;
        }
        if (!response.ok) {
          const { code } = JSON.parse(text) as { code: string };
          if (!FAILURES.has(code)) throw new Error(`${node} ${path}: ${response.status} ${text}`);
          return code;
        }
        const answered = JSON.parse(text) as Named;
        expect(answered).toEqual({ node, method, pathname: `/api/named/${id}`, body: sent });
        return 'answered';
      };
      const asking = Array.from({ length: REQUESTS_AT_ONCE }, async (_, lane) => {
        for (let n = 0; !isOver; n++) {
          const since = performance.now();
          count(await exchange(`${lane}-${n}`, lane + n));
          slowest = Math.max(slowest, performance.now() - since);
        }
      });

      /** Follow threads of the node that works, one after the other. */
      const read: { threadId: string; seqs: number[] }[] = [];
      const follow = async (threadId: string) => {
        const seqs: number[] = [];
        const end = await fleet.client.followThread({
          params: { id: threadId },
          limits: { silenceMs: 5_000, backoffMinMs: 20, backoffMaxMs: 200 },
          onEvent: ({ id, data }) => {
            if (id !== null) seqs.push((data as { seq: number }).seq);
          },
        });
        expect(end).toEqual({ reason: 'done' });
        return { threadId, seqs };
      };
      const reading = Array.from({ length: READERS }, async (_, reader) => {
        for (let n = 0; !isOver; n++) {
          const key = `${reader}-${n}`;
          // The same key until it is there: a start that broke off may have taken place.
          const { threadId } = await until('a thread is started', async () => {
            const response = await fleet.gateway.ask('POST', '/api/threads', {
              body: { workflow: 'long', node: 'worker', prompt: key },
              headers: { 'idempotency-key': key },
            });
            const text = await response.text();
            if (response.status === 201) return JSON.parse(text) as { threadId: string };
            const { code } = JSON.parse(text) as { code: string };
            if (!FAILURES.has(code)) throw new Error(`start: ${response.status} ${text}`);
            await sleep(50);
            return null;
          });
          read.push(await follow(threadId));
        }
      });

      const cut = async (n: number) => {
        const targets = [...proxies.keys()];
        const name = targets[n % targets.length]!;
        const proxy = proxies.get(name)!;
        const kind = Math.floor(n / targets.length + n) % 4;
        if (kind < 2) proxy.cut();
        else if (kind === 2) {
          proxy.freeze();
          await fleet.gateway.untilNode(name, 'offline');
          proxy.thaw();
        } else {
          // Slow for a while, then cut in the middle of what it carries.
          proxy.throttle(100_000);
          await sleep(CUT_EVERY_MS / 2);
          proxy.cut();
          proxy.throttle(Number.POSITIVE_INFINITY);
        }
        count(`cut ${kind}`);
      };
      for (let n = 0; n < CUTS; n++) {
        await sleep(Math.random() * 2 * CUT_EVERY_MS);
        await cut(n);
      }
      await Promise.all([...proxies.keys()].map((name) => fleet.gateway.untilNode(name)));
      isOver = true;
      await Promise.all([...asking, ...reading]);

      expect(outcomes.get('answered')).toBeGreaterThan(CUTS);
      expect(slowest).toBeLessThan(EXCHANGE_MAX_MS);
      expect(read.length).toBeGreaterThanOrEqual(READERS);
      for (const { threadId, seqs } of read) {
        const late = await follow(threadId);
        expect(seqs).toEqual(late.seqs);
        expect(seqs).toEqual([...new Set(seqs)].sort((a, b) => a - b));
      }
      // Started once each, however often it was asked for.
      const started = await worker.machine.json<{ items: { prompt: string }[] }>([
        'thread',
        'list',
        '--limit',
        '200',
      ]);
      const prompts = started.items.map(({ prompt }) => prompt);
      expect(new Set(prompts).size).toBe(prompts.length);
      expect(prompts.length).toBe(read.length);
      await until('no stream is open but the one of each node', async () => {
        const response = await fleet.gateway.ask('GET', '/metrics');
        const [, open] = /^uwf_gateway_streams (\d+)$/m.exec(await response.text()) ?? [];
        return Number(open) <= proxies.size;
      });
    },
    60_000 + CUTS * 2_000,
  );
});
