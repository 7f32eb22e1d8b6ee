import { describe, expect, it } from 'vitest';
import { FRAME, type Frame } from './frame-types.js';
import { LINK_LIMITS, type LinkLimits } from './limits.js';
import type { LinkEnd } from './link-core.js';
import { createManualClock } from './manual-clock.test-data.js';
import { createNodeMux, type IncomingRequest, type RequestHandler } from './node-side.js';
import { createRawPeer } from './raw-peer.test-data.js';

function nodeWith(onRequest: RequestHandler, change: Partial<LinkLimits> = {}) {
  const clock = createManualClock();
  const peer = createRawPeer();
  const ends: LinkEnd[] = [];
  const errors: unknown[] = [];
  const mux = createNodeMux({
    transport: peer.transport,
    clock,
    limits: { ...LINK_LIMITS, ...change },
    onRequest,
    onError: (error) => errors.push(error),
    onClose: (end) => ends.push(end),
    onGoaway: () => undefined,
  });
  return { clock, peer, mux, ends, errors };
}

const request = (stream: number, end = true): Frame => ({
  type: FRAME.request,
  stream,
  payload: { method: 'POST', path: `/${stream}`, headers: [], end },
});
const data = (stream: number, size: number): Frame => ({
  type: FRAME.data,
  stream,
  bytes: new Uint8Array(size),
});
const end = (stream: number): Frame => ({ type: FRAME.end, stream });
const reset = (stream: number): Frame => ({
  type: FRAME.reset,
  stream,
  payload: { code: 'cancelled', message: '' },
});

const answer: RequestHandler = async (_request, respond) => {
  const writer = respond({ status: 200, headers: [], end: false });
  await writer.write(new Uint8Array(3));
  await null;
  writer.end();
};

/** Handlers that wait, each until it is let go. */
function createHeldHandler() {
  const held: { request: IncomingRequest; release: () => void }[] = [];
  const handler: RequestHandler = (incoming, respond) =>
    new Promise((resolve) => {
      held.push({
        request: incoming,
        release() {
          if (!incoming.signal.aborted) respond({ status: 204, headers: [], end: true });
          resolve();
        },
      });
    });
  return { held, handler };
}

describe('the end of a link on the node', () => {
  it('hands an answer that is made in one turn over as one write', async () => {
    const { clock, peer } = nodeWith(answer);
    peer.send(request(1), request(2));
    await clock.settle();
    expect(peer.batches).toHaveLength(1);
    const types = (stream: number) =>
      peer.batches[0]?.filter((frame) => frame.stream === stream).map(({ type }) => type);
    expect(types(1)).toEqual([FRAME.response, FRAME.data, FRAME.end]);
    expect(types(2)).toEqual([FRAME.response, FRAME.data, FRAME.end]);
  });

  it('gives up the stream that gets more than was granted, and only that', async () => {
    const { handler, held } = createHeldHandler();
    const { clock, peer, ends } = nodeWith(handler, { windowBytes: 100 });
    peer.send(request(1, false), request(2, false), data(1, 100), data(1, 1), data(2, 100));
    await clock.settle();
    expect(peer.take()).toMatchObject([
      { type: FRAME.reset, stream: 1, payload: { code: 'credit' } },
    ]);
    expect(held.map(({ request: { path } }) => path)).toEqual(['/2']);
    expect(ends).toEqual([]);
    held[0]?.release();
  });

  it('grants more only as the handler reads', async () => {
    const { handler, held } = createHeldHandler();
    const { clock, peer } = nodeWith(handler, { windowBytes: 100 });
    peer.send(request(1, false), data(1, 60), data(1, 40));
    await clock.settle();
    expect(peer.take()).toEqual([]);
    const body = held[0]?.request.body;
    while (((await body?.read())?.byteLength ?? 0) < 40);
    await clock.settle();
    expect(peer.take()).toEqual([{ type: FRAME.credit, stream: 1, offset: 200 }]);
  });

  it('answers early: END, and the rest of the request called off in the same write', async () => {
    const { clock, peer, mux } = nodeWith(answer);
    peer.send(request(1, false), data(1, 10));
    await clock.settle();
    expect(peer.batches).toHaveLength(1);
    expect(peer.take()).toMatchObject([
      { type: FRAME.response },
      { type: FRAME.data },
      { type: FRAME.end },
      { type: FRAME.reset, payload: { code: 'no-error' } },
    ]);
    expect(mux.openStreams()).toBe(0);
    // What was under way is dropped.
    peer.send(data(1, 10), end(1), reset(1), { type: FRAME.credit, stream: 1, offset: 9 });
    await clock.settle();
    expect(peer.take()).toEqual([]);
    expect(mux.ended()).toBeNull();
  });

  it('does not begin a request that was called off in the same read', async () => {
    const { handler, held } = createHeldHandler();
    const { clock, peer, mux } = nodeWith(handler);
    peer.send(request(1), reset(1));
    await clock.settle();
    expect(held).toEqual([]);
    expect(mux.openStreams()).toBe(0);
  });

  it('counts a stream that was called off until its handler has ended', async () => {
    const { handler, held } = createHeldHandler();
    const { clock, peer, mux } = nodeWith(handler, { maxStreams: 2 });
    peer.send(request(1), request(2));
    await clock.settle();
    peer.send(reset(1), request(3));
    await clock.settle();
    expect(held[0]?.request.signal.aborted).toBe(true);
    expect(mux.openStreams()).toBe(2);
    expect(peer.take()).toMatchObject([
      { type: FRAME.reset, stream: 3, payload: { code: 'refused' } },
    ]);
    held[0]?.release();
    await clock.settle();
    expect(mux.openStreams()).toBe(1);
    peer.send(request(4));
    await clock.settle();
    expect(held).toHaveLength(3);
  });

  it('gives up a handler that fails, that does not answer, and that does not end its answer', async () => {
    const { clock, peer, mux, errors } = nodeWith(async ({ path }, respond) => {
      if (path === '/1') throw new Error('a bug');
      if (path === '/3') respond({ status: 200, headers: [], end: false });
    });
    peer.send(request(1), request(2), request(3));
    await clock.settle();
    expect(peer.take().filter(({ type }) => type === FRAME.reset)).toMatchObject([
      { stream: 1, payload: { code: 'internal' } },
      { stream: 2, payload: { code: 'internal' } },
      { stream: 3, payload: { code: 'internal' } },
    ]);
    expect(errors).toHaveLength(3);
    expect(mux.openStreams()).toBe(0);
  });

  it('lets a handler know that its head cannot cross, and takes a better one', async () => {
    const codes: unknown[] = [];
    const { clock, peer } = nodeWith(async (_request, respond) => {
      for (const value of ['a\r\nb', 'x'.repeat(LINK_LIMITS.maxHeadBytes)]) {
        try {
          respond({ status: 200, headers: [['x-a', value]], end: true });
        } catch (error) {
          codes.push((error as { code?: string }).code);
        }
      }
      respond({ status: 500, headers: [], end: true });
    });
    peer.send(request(1));
    await clock.settle();
    expect(codes).toEqual(['invalid-argument', 'too-large']);
    expect(peer.take()).toMatchObject([{ type: FRAME.response, payload: { status: 500 } }]);
  });

  it('gives each stream its turn, and lets heads pass before data', async () => {
    const { clock, peer } = nodeWith(
      async ({ path }, respond) => {
        const writer = respond({ status: 200, headers: [], end: false });
        await writer.write(new Uint8Array(path === '/3' ? 10 : 30));
        writer.end();
      },
      { maxFrameBytes: 10 },
    );
    peer.send(request(1), request(2), request(3));
    await clock.settle();
    const order = peer.take().map(({ type, stream }) => `${type}:${stream}`);
    const [r, d, e] = [FRAME.response, FRAME.data, FRAME.end];
    expect(order).toEqual([
      ...[1, 2, 3].map((stream) => `${r}:${stream}`),
      ...[1, 2, 3].map((stream) => `${d}:${stream}`),
      ...[`${d}:1`, `${d}:2`, `${e}:3`, `${d}:1`, `${d}:2`, `${e}:1`, `${e}:2`],
    ]);
  });

  it('hands over no more than its limit until that has left, and answers pings before data', async () => {
    const limits = { maxUnflushedBytes: 100_000, batchBytes: 40_000, windowBytes: 1_000_000 };
    const { clock, peer } = nodeWith(async (_request, respond) => {
      const writer = respond({ status: 200, headers: [], end: false });
      await writer.write(new Uint8Array(500_000));
      writer.end();
    }, limits);
    peer.hold();
    peer.send(request(1));
    await clock.settle();
    const size = () =>
      peer.batches.flat().reduce((sum, frame) => {
        return sum + (frame.type === FRAME.data ? frame.bytes.byteLength : 0);
      }, 0);
    expect(size()).toBeGreaterThan(50_000);
    expect(size()).toBeLessThanOrEqual(limits.maxUnflushedBytes);
    expect(peer.batches.length).toBeGreaterThan(1);
    peer.take();
    peer.send({ type: FRAME.ping, stream: 0, nonce: 7n });
    await clock.settle();
    expect(peer.take()).toEqual([]);
    peer.flush();
    await clock.settle();
    expect(peer.take()[0]).toEqual({ type: FRAME.pong, stream: 0, nonce: 7n });
  });

  it('ends with a peer that asks and does not read, or whose socket takes nothing', async () => {
    const flooded = nodeWith(answer, { maxOwedFrames: 50 });
    flooded.peer.hold();
    for (let i = 0; i < 60; i += 1) {
      flooded.peer.send({ type: FRAME.ping, stream: 0, nonce: BigInt(i) });
    }
    expect(flooded.ends).toMatchObject([{ cause: 'bad-frame' }]);

    const stuck = nodeWith(answer);
    stuck.peer.hold();
    stuck.peer.send(request(1));
    const heard = async () => {
      await stuck.clock.advance(1000);
      stuck.peer.send({ type: FRAME.pong, stream: 0, nonce: 0n });
    };
    for (let second = 0; second < 41; second += 1) await heard();
    expect(stuck.ends).toMatchObject([{ cause: 'stalled' }]);
    expect(stuck.peer.endings).toEqual(['terminate']);
    expect(stuck.clock.pending()).toBe(0);
  });

  it('ends the link over frames that no gateway sends', async () => {
    const wrong: [string, Frame[]][] = [
      [
        'RESPONSE',
        [{ type: FRAME.response, stream: 1, payload: { status: 200, headers: [], end: true } }],
      ],
      ['opened again', [request(5), request(5)]],
      ['opened again', [request(5), request(4)]],
      ['nobody opened', [data(9, 1)]],
      ['second handshake', [{ type: FRAME.hello, stream: 0, payload: HELLO }]],
    ];
    for (const [why, frames] of wrong) {
      const { handler } = createHeldHandler();
      const { clock, peer, ends, mux } = nodeWith(handler);
      peer.send(...frames);
      await clock.settle();
      expect(ends).toMatchObject([{ cause: 'bad-frame', message: expect.stringContaining(why) }]);
      expect(peer.take().at(-1)).toMatchObject({ payload: { code: 'bad-frame' } });
      expect(peer.endings).toEqual(['close 1002 bad-frame']);
      expect(clock.pending()).toBe(0);
      expect(mux.openStreams()).toBeLessThanOrEqual(1);
    }
  });

  it('gives up the stream on DATA or END after END, and leaves a RESET for nobody aside', async () => {
    const { handler } = createHeldHandler();
    const { clock, peer, ends } = nodeWith(handler);
    peer.send(request(1, false), request(2), reset(77), end(1));
    await clock.settle();
    peer.send(data(1, 1), end(2));
    await clock.settle();
    expect(peer.take()).toMatchObject([
      { type: FRAME.reset, stream: 1, payload: { code: 'internal' } },
      { type: FRAME.reset, stream: 2, payload: { code: 'internal' } },
    ]);
    expect(ends).toEqual([]);
  });
});

const HELLO = {
  protocols: [1],
  node: 'a',
  instance: 'b',
  version: 'c',
  labels: {},
  allow: [],
};
