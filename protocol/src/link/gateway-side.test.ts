import { describe, expect, it } from 'vitest';
import { FRAME, type Frame } from './frame-types.js';
import { createGatewayMux, type LinkRequest } from './gateway-side.js';
import { LINK_LIMITS, type LinkLimits } from './limits.js';
import type { LinkEnd } from './link-core.js';
import { createManualClock } from './manual-clock.test-data.js';
import { createRawPeer } from './raw-peer.test-data.js';
import { isNotStarted } from './reset-problem.js';

function gatewayWith(change: Partial<LinkLimits> = {}) {
  const clock = createManualClock();
  const peer = createRawPeer();
  const ends: LinkEnd[] = [];
  const mux = createGatewayMux({
    transport: peer.transport,
    clock,
    limits: { ...LINK_LIMITS, ...change },
    onClose: (end) => ends.push(end),
    onGoaway: () => undefined,
  });
  return { clock, peer, mux, ends };
}

const GET: LinkRequest = { method: 'GET', path: '/', headers: [], body: null };
const post = (body: LinkRequest['body']): LinkRequest => ({ ...GET, method: 'POST', body });
const response = (stream: number, end = false): Frame => ({
  type: FRAME.response,
  stream,
  payload: { status: 200, headers: [], end },
});
const data = (stream: number, size: number): Frame => ({
  type: FRAME.data,
  stream,
  bytes: new Uint8Array(size),
});
const end = (stream: number): Frame => ({ type: FRAME.end, stream });

/** Outcomes of requests, in the order in which they came to one. */
function collect(): { outcomes: unknown[]; add(working: Promise<unknown>): void } {
  const outcomes: unknown[] = [];
  return {
    outcomes,
    add(working) {
      working.then(
        (value) => outcomes.push(value),
        (error: unknown) => outcomes.push(error),
      );
    },
  };
}

describe('the end of a link on the gateway', () => {
  it('numbers its streams upwards and says in the head that there is no body', async () => {
    const { clock, peer, mux } = gatewayWith();
    const { add } = collect();
    add(mux.request(GET));
    add(mux.request({ ...GET, path: '/b?c=%2f', headers: [['accept', '*/*']] }));
    await clock.settle();
    expect(peer.take()).toEqual([
      {
        type: FRAME.request,
        stream: 1,
        payload: { method: 'GET', path: '/', headers: [], end: true },
      },
      {
        type: FRAME.request,
        stream: 2,
        payload: { method: 'GET', path: '/b?c=%2f', headers: [['accept', '*/*']], end: true },
      },
    ]);
  });

  it('has the whole of a small answer at hand with its head', async () => {
    const { clock, peer, mux } = gatewayWith();
    const asked = mux.request(GET);
    await clock.settle();
    peer.send(response(1), data(1, 3), data(1, 4), end(1));
    const { body } = await asked;
    expect(body?.takeRest()?.byteLength).toBe(7);
    expect(mux.openStreams()).toBe(0);
  });

  it('counts a stream until its answer is read or cancelled', async () => {
    const { clock, peer, mux } = gatewayWith();
    const asked = [mux.request(GET), mux.request(GET)] as const;
    await clock.settle();
    for (const stream of [1, 2]) peer.send(response(stream), data(stream, 3), end(stream));
    const [first, second] = await Promise.all(asked);
    expect(mux.openStreams()).toBe(2);
    first.body?.cancel();
    expect(mux.openStreams()).toBe(1);
    await second.body?.read();
    expect(mux.openStreams()).toBe(0);
    expect(await second.body?.read()).toBeNull();
    await clock.settle();
    expect(peer.take().map(({ type }) => type)).toEqual([FRAME.request, FRAME.request]);
  });

  it('gives up an answer that does not begin in time after the end of its request', async () => {
    const { clock, peer, mux } = gatewayWith();
    const { outcomes, add } = collect();
    add(mux.request(GET));
    let goOn = () => {};
    const slow = new ReadableStream<Uint8Array>({
      start(controller) {
        goOn = () => controller.close();
      },
    });
    add(mux.request(post(slow)));
    const beats = async (ms: number) => {
      for (let passed = 0; passed < ms; passed += 10_000) {
        await clock.advance(10_000);
        peer.send({ type: FRAME.pong, stream: 0, nonce: 0n });
      }
    };
    await beats(40_000);
    expect(outcomes).toMatchObject([{ code: 'node-timeout', status: 504, retryable: true }]);
    expect(peer.take()).toContainEqual(
      expect.objectContaining({ stream: 1, payload: expect.objectContaining({ code: 'timeout' }) }),
    );
    goOn();
    await beats(20_000);
    expect(outcomes).toHaveLength(1);
    await beats(20_000);
    expect(outcomes).toHaveLength(2);
    expect(mux.openStreams()).toBe(0);
  });

  it('gives up a stream on which nothing moves', async () => {
    const { clock, peer, mux } = gatewayWith({ idleMs: 20_000 });
    const asked = mux.request(GET);
    await clock.settle();
    peer.send(response(1), data(1, 5));
    const { body } = await asked;
    await clock.advance(15_000);
    peer.send(data(1, 5));
    await clock.advance(15_000);
    expect(mux.openStreams()).toBe(1);
    await clock.advance(10_000);
    expect(mux.openStreams()).toBe(0);
    await expect(body?.read()).rejects.toMatchObject({ code: 'node-timeout' });
  });

  it('sends nothing of a request that was called off before it left', async () => {
    const { clock, peer, mux } = gatewayWith();
    const { outcomes, add } = collect();
    const leaving = new AbortController();
    add(mux.request({ ...GET, signal: leaving.signal }));
    leaving.abort();
    add(mux.request({ ...GET, signal: leaving.signal }));
    add(mux.request(GET));
    await clock.settle();
    expect(outcomes).toMatchObject([{ code: 'cancelled' }, { code: 'cancelled' }]);
    expect(peer.take()).toMatchObject([{ type: FRAME.request, stream: 2 }]);
  });

  it('stops sending when the answer is complete, and keeps the answer', async () => {
    const { clock, peer, mux } = gatewayWith({ windowBytes: 100 });
    let cancelled = false;
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(50_000)),
      cancel: () => {
        cancelled = true;
      },
    });
    const asked = mux.request(post(endless));
    await clock.settle();
    peer.send(response(1), data(1, 3), end(1), {
      type: FRAME.reset,
      stream: 1,
      payload: { code: 'no-error', message: '' },
    });
    const { body } = await asked;
    await clock.settle();
    expect(cancelled).toBe(true);
    expect((await body?.read())?.byteLength).toBe(3);
    expect(await body?.read()).toBeNull();
    expect(mux.openStreams()).toBe(0);
  });

  it('refuses bodies that are too large, and those whose source fails', async () => {
    const { clock, peer, mux } = gatewayWith({ maxRequestBodyBytes: 100 });
    const { outcomes, add } = collect();
    async function* large() {
      yield new Uint8Array(60);
      yield new Uint8Array(60);
    }
    // biome-ignore lint/correctness/useYield: it fails before it has anything.
    async function* failing(): AsyncGenerator<Uint8Array> {
      throw new Error('the client has gone');
    }
    add(mux.request(post(large())));
    add(mux.request(post(failing())));
    add(mux.request({ ...post(large()), maxBodyBytes: 200 }));
    await clock.settle();
    expect(outcomes).toHaveLength(2);
    expect(outcomes).toContainEqual(expect.objectContaining({ code: 'too-large', status: 413 }));
    expect(outcomes).toContainEqual(expect.objectContaining({ code: 'cancelled' }));
    expect(peer.take().filter(({ type }) => type === FRAME.end)).toMatchObject([{ stream: 3 }]);
  });

  it('says what a RESET of the node means', async () => {
    const { clock, peer, mux } = gatewayWith();
    const { outcomes, add } = collect();
    const codes = ['refused', 'internal', 'too-large', 'timeout', 'no-error'] as const;
    for (const _ of codes) add(mux.request(GET));
    await clock.settle();
    codes.forEach((code, index) => {
      peer.send({ type: FRAME.reset, stream: index + 1, payload: { code, message: 'why' } });
    });
    await clock.settle();
    expect(outcomes).toMatchObject([
      { code: 'overloaded' },
      { code: 'node-failed' },
      { code: 'too-large' },
      { code: 'node-timeout' },
      { code: 'node-failed' },
    ]);
    expect(outcomes.map(isNotStarted)).toEqual([true, false, false, false, false]);
  });

  it('gives up a stream whose frames are out of order, and only that', async () => {
    const { clock, peer, mux, ends } = gatewayWith();
    const { outcomes, add } = collect();
    for (let i = 0; i < 3; i += 1) add(mux.request(GET));
    await clock.settle();
    peer.send(data(1, 1), end(2), response(3), response(3));
    await clock.settle();
    expect(outcomes).toMatchObject([
      { code: 'node-failed' },
      { code: 'node-failed' },
      { status: 200 },
    ]);
    expect(mux.openStreams()).toBe(0);
    expect(ends).toEqual([]);
  });

  it('tells requests that cannot have been begun from those that may have been', async () => {
    const { clock, peer, mux } = gatewayWith();
    const { outcomes, add } = collect();
    add(mux.request(GET));
    await clock.settle();
    add(mux.request(GET));
    peer.closed('reset by peer');
    add(mux.request(GET));
    await clock.settle();
    expect(outcomes).toMatchObject(Array(3).fill({ code: 'link-lost' }));
    // The first had left; the second had not, the third was not taken.
    expect(outcomes.map(isNotStarted).sort()).toEqual([false, true, true]);
    expect(clock.pending()).toBe(0);
  });

  it('says of requests above the last stream of a goodbye that they were not begun', async () => {
    const { clock, peer, mux } = gatewayWith();
    const { outcomes, add } = collect();
    add(mux.request(GET));
    add(mux.request(GET));
    await clock.settle();
    const payload = { code: 'shutdown', message: 'restarting', lastStream: 1 } as const;
    peer.send({ type: FRAME.goaway, stream: 0, payload });
    await clock.settle();
    expect(outcomes).toMatchObject([{ code: 'unreachable', details: { notStarted: true } }]);
    peer.send(response(1, true));
    await clock.settle();
    expect(outcomes).toMatchObject([{}, { status: 200 }]);
    expect(mux.openStreams()).toBe(0);
  });

  it('says goodbye when its numbers are used up', async () => {
    const { clock, peer, mux } = gatewayWith({ maxStreamId: 2 });
    const { outcomes, add } = collect();
    for (let i = 0; i < 3; i += 1) add(mux.request(GET));
    await clock.settle();
    expect(outcomes).toMatchObject([{ code: 'unreachable' }]);
    expect(peer.take().at(0)).toMatchObject({ type: FRAME.goaway, payload: { code: 'shutdown' } });
  });

  it('takes any frame for life and silence for the end', async () => {
    const { clock, peer, mux, ends } = gatewayWith();
    const unknown = new Uint8Array([0xf0, 0, 0, 0, 0]);
    for (let i = 0; i < 4; i += 1) {
      await clock.advance(30_000);
      peer.sendBytes(unknown);
    }
    expect(ends).toEqual([]);
    await clock.advance(39_999);
    expect(ends).toEqual([]);
    await clock.advance(1);
    expect(ends).toMatchObject([{ cause: 'silent' }]);
    expect(peer.endings).toEqual(['terminate']);
    expect(clock.pending()).toBe(0);
    expect(await mux.probe(1000)).toBe(false);
  });

  it('knows how long a PING takes, and whether the other side lives', async () => {
    const { clock, peer, mux } = gatewayWith();
    await clock.advance(LINK_LIMITS.heartbeatMs);
    await clock.advance(20);
    const [ping] = peer.take();
    if (ping?.type !== FRAME.ping) throw new Error('no PING came');
    peer.send({ type: FRAME.pong, stream: 0, nonce: ping.nonce });
    expect(mux.rttMs()).toBe(20);

    const { outcomes, add } = collect();
    add(mux.probe(1000));
    await clock.advance(1000);
    add(mux.probe(1000));
    await clock.advance(500);
    expect(peer.take()).toHaveLength(2);
    peer.sendBytes(new Uint8Array([0xf0, 0, 0, 0, 0]));
    await clock.settle();
    expect(outcomes).toEqual([false, true]);
  });

  it('waits for open streams to end before it is closed, but not for ever', async () => {
    const { clock, peer, mux } = gatewayWith();
    const { outcomes, add } = collect();
    const asked = mux.request(GET);
    await clock.settle();
    add(mux.drained(5000));
    await clock.advance(4999);
    expect(outcomes).toEqual([]);
    await clock.advance(1);
    expect(outcomes).toEqual([undefined]);
    add(mux.drained(5000));
    peer.send(response(1, true));
    await asked;
    await clock.settle();
    expect(outcomes).toHaveLength(2);
  });
});
