import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import type { StepJson } from '@uncaged/protocol/api';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Service } from '../support/service.js';
import { until } from '../support/until.js';
import { chain } from '../support/workflows.js';
import {
  createFleet,
  FLEET_TEST_MAX_MS,
  type Fleet,
  type FleetNode,
  residentMib,
} from './fleet.js';
import { buildTestNode, startTestNode } from './test-node.js';

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;
/** What others may wait while somebody behaves badly, ms. */
const ANSWER_MAX_MS = 2_000;
/** What a process may grow by meanwhile. */
const GROWTH_MAX_MIB = 64;
const SAMPLE_EVERY_MS = 25;
const ASK_EVERY_MS = 20;
const ANSWERS_MIN = 4;
const CONTENT_BYTES = 16 * MIB;
const STREAMS = 1_000;
const STREAMS_AT_ONCE = 20;
const STALLED = 20;
const EVENTS = 30_000;
const EVENTS_AT_ONCE = 100;

describe('a gateway under load', { timeout: FLEET_TEST_MAX_MS }, () => {
  let fleet: Fleet;
  let node: FleetNode;
  let plain: Service;
  let threadId: string;
  let content: string;
  beforeAll(async () => {
    fleet = await createFleet({ limits: { link: {} } });
    const program = await buildTestNode('load', fleet);
    const loud = chain('loud', 2, (n) =>
      n === 1
        ? `head -c ${CONTENT_BYTES} /dev/zero | tr '\\0' x`
        : 'while [ ! -e "$HOME/gate" ]; do sleep 0.2; done',
    );
    node = await fleet.add({ name: 'one', workflows: { loud } });
    plain = await startTestNode(program, fleet, { name: 'plain' });
    ({ threadId } = await fleet.client.startSomewhere({ body: { workflow: 'loud', node: 'one' } }));
    const step = await until('a large content is there', async () => {
      const { items } = await fleet.client.listThreadSteps({ params: { id: threadId } });
      return items.find((each: StepJson) => each.status === 'committed');
    });
    content = `/api/nodes/one/steps/${step.hash}/content`;
    // What a process that has work needs once, compiled code and room for what it drops, is not growth.
    for (const path of [content, `/api/nodes/plain/big?bytes=${CONTENT_BYTES}`])
      await Promise.all(
        Array.from({ length: STALLED }, async () => {
          const response = await fleet.gateway.ask('GET', path);
          expect((await response.arrayBuffer()).byteLength).toBe(CONTENT_BYTES);
        }),
      );
  }, FLEET_TEST_MAX_MS);
  afterAll(() => fleet.end(), FLEET_TEST_MAX_MS);

  const get = (path: string) =>
    request(`${fleet.gateway.url}${path}`, {
      headers: { authorization: `Bearer ${fleet.gateway.key}` },
      agent: false,
    }).end();

  /** Asks as others do, all the while; fails when one of the answers takes too long. */
  const others = () => {
    let isOver = false;
    onTestFinished(() => {
      isOver = true;
    });
    const times: number[] = [];
    const paths = ['/api/nodes/one/node', `/api/threads/${threadId}`, '/api/nodes', content];
    const asking = (async () => {
      for (let n = 0; !isOver; n++) {
        const since = performance.now();
        const path = paths[n % paths.length]!;
        const headers = path === content ? { range: 'bytes=0-99' } : {};
        const response = await fleet.gateway.ask('GET', path, { headers });
        await response.arrayBuffer();
        expect([200, 206]).toContain(response.status);
        times.push(performance.now() - since);
        await sleep(ASK_EVERY_MS);
      }
    })();
    return async () => {
      isOver = true;
      await asking;
      expect(times.length).toBeGreaterThan(ANSWERS_MIN);
      expect(Math.max(...times)).toBeLessThan(ANSWER_MAX_MS);
    };
  };

  /** By how much each process has grown at most, MiB. */
  const growth = (services: Record<string, Service>) => {
    const first = Object.values(services).map(({ pid }) => residentMib(pid));
    const most = first.map(() => 0);
    const look = () =>
      Object.values(services).forEach(({ pid }, n) => {
        most[n] = Math.max(most[n]!, residentMib(pid) - first[n]!);
      });
    const timer = setInterval(look, SAMPLE_EVERY_MS);
    onTestFinished(() => clearInterval(timer));
    return () => {
      clearInterval(timer);
      look();
      return Object.fromEntries(Object.keys(services).map((name, n) => [name, most[n]!]));
    };
  };
  const expectBounded = (grown: Record<string, number>) => {
    for (const [name, mib] of Object.entries(grown))
      expect(mib, `${name} has grown by ${mib} MiB`).toBeLessThan(GROWTH_MAX_MIB);
  };

  const metric = async (name: string) => {
    const response = await fleet.gateway.ask('GET', '/metrics');
    const [, value] = new RegExp(`^${name} (\\d+)$`, 'm').exec(await response.text()) ?? [];
    return Number(value);
  };
  const openStreams = async () => [
    await metric('uwf_gateway_streams'),
    await metric('uwf_gateway_followers'),
  ];

  it('forgets a thousand streams that were opened and left', async () => {
    const atRest = await openStreams();
    expect(atRest[1]).toBe(0);
    const stopOthers = others();
    const grown = growth({ gateway: fleet.gateway.service(), node: node.service() });
    const paths = [
      '/api/events',
      `/api/threads/${threadId}/events`,
      content,
      `/api/events?threads=${threadId}`,
    ];
    /** Left before the head, at the head, at the first bytes, or a little later. */
    const openAndLeave = async (n: number) => {
      const asked = get(paths[n % paths.length]!);
      const closed = new Promise((resolve) => void asked.on('close', resolve));
      // Destroyed before its answer, a request says so.
      asked.on('error', () => undefined);
      const moment = Math.floor(n / paths.length) % 4;
      if (moment === 0) {
        if (asked.socket === null) await once(asked, 'socket');
        setTimeout(() => asked.destroy(), n % 7);
      } else {
        const [response] = (await once(asked, 'response')) as [IncomingMessage];
        expect(response.statusCode).toBe(200);
        response.on('error', () => undefined);
        if (moment > 1) await once(response, 'data');
        setTimeout(() => asked.destroy(), moment === 3 ? n % 20 : 0);
      }
      await closed;
    };
    let next = 0;
    const worker = async () => {
      while (next < STREAMS) await openAndLeave(next++);
    };
    await Promise.all(Array.from({ length: STREAMS_AT_ONCE }, worker));
    await stopOthers();
    await until('no stream is open but those of before', async () => {
      const open = await openStreams();
      return open.join() === atRest.join();
    });
    expectBounded(grown());
  });

  it('holds little for those who do not read, and the others do not notice', async () => {
    const atRest = await openStreams();
    const stopOthers = others();
    const grown = growth({ gateway: fleet.gateway.service(), node: node.service(), plain });
    const stall = (path: string) => {
      const socket = connect(fleet.gateway.port, '127.0.0.1');
      socket.on('error', () => undefined);
      socket.pause();
      socket.write(
        `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${fleet.gateway.key}\r\n\r\n`,
      );
      return socket;
    };
    const stalled: Socket[] = [];
    for (let n = 0; n < STALLED; n++) {
      stalled.push(stall(content));
      stalled.push(stall(`/api/nodes/plain/big?bytes=${GIB}`));
    }
    const followers = Array.from({ length: 5 }, () => stall('/api/events'));
    const seqs: number[] = [];
    const leave = new AbortController();
    const reading = fleet.client.followAll({
      signal: leave.signal,
      onEvent: ({ event, data }) => {
        if (event === 'workflow.changed') seqs.push((data as { seq: number }).seq);
      },
    });
    await until('all of them are open', async () => {
      const [streams, following] = await openStreams();
      return streams! >= atRest[0]! + 2 * STALLED && following === followers.length + 1;
    });
    // As fast as the one who reads can take it: a backlog of its own would cut it off, too.
    for (let count = EVENTS_AT_ONCE; count <= EVENTS; count += EVENTS_AT_ONCE) {
      await fleet.gateway.json('POST', `/api/nodes/plain/flood?events=${EVENTS_AT_ONCE}`);
      await until(`event ${count} came`, () => seqs.length >= count);
    }
    expect(seqs).toEqual(Array.from({ length: EVENTS }, (_, n) => n + 1));
    await until('who does not read was cut off', async () => (await openStreams())[1] === 1);
    await stopOthers();
    expectBounded(grown());
    for (const socket of [...stalled, ...followers]) socket.destroy();
    leave.abort();
    await reading;
    await until('no stream is open but those of before', async () => {
      const open = await openStreams();
      return open.join() === atRest.join();
    });
  });

  it('carries a gibibyte down without holding it', async () => {
    const grown = growth({ gateway: fleet.gateway.service(), plain });
    const stopOthers = others();
    const [response] = (await once(get(`/api/nodes/plain/big?bytes=${GIB}`), 'response')) as [
      IncomingMessage,
    ];
    let bytes = 0;
    let sum = 0;
    for await (const chunk of response as AsyncIterable<Buffer>) {
      bytes += chunk.byteLength;
      sum = crc32(chunk, sum);
    }
    expect(await fleet.gateway.json('GET', '/api/nodes/plain/sent')).toEqual({
      bytes: GIB,
      crc32: sum,
    });
    expect(bytes).toBe(GIB);
    await stopOthers();
    expectBounded(grown());
  });

  it('carries a gibibyte up without holding it', async () => {
    const grown = growth({ gateway: fleet.gateway.service(), plain });
    const stopOthers = others();
    let sum = 0;
    function* blocks() {
      for (let at = 0; at < GIB; at += MIB / 4) {
        const block = Buffer.alloc(MIB / 4, at / MIB);
        block.writeUInt32LE(at / 4);
        sum = crc32(block, sum);
        yield block;
      }
    }
    const asked = request(`${fleet.gateway.url}/api/nodes/plain/packs`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${fleet.gateway.key}`,
        'content-type': 'application/octet-stream',
      },
      agent: false,
    });
    const answered = once(asked, 'response') as Promise<[IncomingMessage]>;
    await pipeline(Readable.from(blocks()), asked);
    const [response] = await answered;
    expect(response.statusCode).toBe(200);
    const text = Buffer.concat(await response.toArray()).toString();
    expect(JSON.parse(text)).toEqual({ bytes: GIB, crc32: sum });
    await stopOthers();
    expectBounded(grown());
  });
});
