import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import {
  acceptLink,
  connectLink,
  createMemoryPair,
  createSystemClock,
  type GatewayMux,
  LINK_LIMITS,
  type Mux,
  type Transport,
} from '@uncaged/protocol/link';
import { describe, expect, it } from 'vitest';
import { until } from '../support/until.js';
import { ask, get, openLink, outcomeOf, post } from './open-link.js';
import { createTestNode, patternAt } from './test-node.js';

/** Frames each side is given; `UWF_TEST_FRAMES=1000000` for the long run. */
const FRAMES = Number(process.env.UWF_TEST_FRAMES ?? 20_000);
const SEED = 20_260_101;
/** Frames between two pauses in which everything that can happen happens. */
const FRAMES_A_TURN = 20;
/** What the heap may grow by from the middle of the run to its end, bytes. A leak of 100 bytes a frame shows. */
const GROWTH_BYTES = 8 * 1024 * 1024;
const LONG_MS = 30 * 60 * 1000;

type Random = () => number;

/** mulberry32: a run can be repeated. */
function createRandom(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const below = (random: Random, end: number) => Math.floor(random() * end);

/** Frames as they really pass, per direction, without the handshake: what is changed a little gets further than noise. */
async function recordFrames(): Promise<{ toNode: Uint8Array[]; toGateway: Uint8Array[] }> {
  const toNode: Uint8Array[] = [];
  const toGateway: Uint8Array[] = [];
  const tap = (transport: Transport, log: Uint8Array[]): Transport => ({
    ...transport,
    send(messages, flushed) {
      for (const message of messages) log.push(message.slice());
      transport.send(messages, flushed);
    },
  });
  const link = await openLink(
    async () => {
      const { gateway, node, freeze, cut } = createMemoryPair(createSystemClock());
      return {
        gateway: tap(gateway, toNode),
        node: tap(node, toGateway),
        freeze,
        cut,
        throttle: null,
        close: async () => undefined,
      };
    },
    { windowBytes: 2000, maxFrameBytes: 500, heartbeatMs: 5 },
  );
  async function* body() {
    for (let at = 0; at < 5000; at += 700) yield patternAt(1, at, 700);
  }
  await ask(link.gateway, get('/small'));
  await ask(link.gateway, post('/echo', body()));
  await ask(link.gateway, post('/too-large', body()));
  await outcomeOf(ask(link.gateway, get('/crash')));
  const open = await link.gateway.request(get('/open'));
  open.body?.cancel();
  await until('a PING was answered', () => link.gateway.rttMs() !== null);
  link.node.goaway('shutdown', 'the recording is over');
  await until('the handlers have ended', () => link.node.openStreams() === 0);
  await link.close();
  return { toNode, toGateway };
}

/** Of a hundred frames one is noise and two are changed or cut; the rest passed once and are put in another stream. */
const NOISE = 0.01;
const CHANGED = 0.02;
const CUT = 0.03;
/** First bytes of frames: what opens a stream, and where those of streams begin and end. */
const REQUEST = 0x10;
const GOAWAY = 0x1f;

function nextFrame(random: Random, corpus: readonly Uint8Array[], streams: Streams): Uint8Array {
  const kind = random();
  if (kind < NOISE) {
    return Uint8Array.from({ length: below(random, 40) }, () => below(random, 256));
  }
  const frame = corpus[below(random, corpus.length)]?.slice() ?? new Uint8Array(0);
  const type = frame[0] ?? 0;
  if (type === REQUEST) streams.highest += 1;
  if (type >= REQUEST && type < GOAWAY) {
    // Close to each other, so that frames meet in them.
    const back = type === REQUEST ? 0 : below(random, Math.min(streams.highest, 10));
    new DataView(frame.buffer).setUint32(1, Math.max(1, streams.highest - back));
  }
  if (kind < CHANGED) {
    for (let n = 1 + below(random, 3); n > 0; n -= 1) {
      frame[below(random, frame.byteLength)] = below(random, 256);
    }
  } else if (kind < CUT) return frame.subarray(0, below(random, frame.byteLength + 1));
  return frame;
}

type Streams = { highest: number };
type Side = { mux: Mux | null; streams: Streams; receive(message: Uint8Array): void; drop(): void };

/** A side whose other side is nobody; half of them also never get rid of what they send. */
function createSide(random: Random, connect: (transport: Transport) => Promise<Mux>): Side {
  const flushes = random() < 0.5;
  let receive: (message: Uint8Array) => void = () => undefined;
  let closed: (reason: string) => void = () => undefined;
  const side: Side = {
    mux: null,
    streams: { highest: 0 },
    receive: (message) => receive(message),
    drop: () => closed('dropped'),
  };
  const opening = connect({
    send(_messages, flushed) {
      if (flushes) flushed();
    },
    onMessage(receiver) {
      receive = receiver;
    },
    onClose(listener) {
      closed = listener;
    },
    close: () => undefined,
    terminate: () => undefined,
  });
  opening.then(
    (mux) => {
      side.mux = mux;
    },
    // Refused in the handshake: as good an end as any.
    () => undefined,
  );
  return side;
}

const EVENTS = { onClose: () => undefined, onGoaway: () => undefined, onError: () => undefined };
const LIMITS = { ...LINK_LIMITS, windowBytes: 2000, maxFrameBytes: 500, maxOwedFrames: 200 };

const { handler } = createTestNode();
const NODE = (transport: Transport) =>
  connectLink({
    ...EVENTS,
    transport,
    clock: createSystemClock(),
    limits: LIMITS,
    hello: { node: 'a', instance: 'b', version: 'c', labels: {}, allow: [] },
    onRequest: handler,
  }).then(({ mux }) => mux);
const GATEWAY = (transport: Transport) =>
  acceptLink({
    ...EVENTS,
    transport,
    clock: createSystemClock(),
    limits: LIMITS,
    gateway: 'g',
    admit: async () => ({ generation: 1 }),
  }).then(({ mux }) => mux);

const outcomes = { settled: 0, asked: 0 };
function exercise(mux: GatewayMux, streams: Streams): void {
  outcomes.asked += 1;
  const before = mux.openStreams();
  const asked = ask(
    mux,
    post(
      '/echo',
      (async function* () {
        yield patternAt(1, 0, 5000);
      })(),
    ),
  );
  void outcomeOf(asked).then(() => {
    outcomes.settled += 1;
  });
  if (mux.openStreams() > before) streams.highest += 1;
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

describe('a side of a link that is given frames of any kind', () => {
  for (const [name, connect] of [
    ['node', NODE],
    ['gateway', GATEWAY],
  ] as const) {
    it(
      `survives as ${name}, and keeps neither streams nor memory`,
      async () => {
        const { toNode, toGateway } = await recordFrames();
        const [first, ...corpus] = name === 'node' ? toNode : toGateway;
        if (first === undefined) throw new Error('nothing was recorded');
        const random = createRandom(SEED);
        let sides = 0;
        let side: Side | null = null;
        let heapAtHalf = 0;
        const finish = async () => {
          const { mux } = side ?? {};
          side?.drop();
          await turn();
          await turn();
          expect(mux?.openStreams() ?? 0).toBe(0);
          side = null;
        };
        for (let n = 0; n < FRAMES; n += 1) {
          if (side === null) {
            sides += 1;
            side = createSide(random, connect);
            // Most are given a proper handshake, the rest have theirs tried.
            if (random() < 0.9) side.receive(first);
            await turn();
          }
          const { mux } = side;
          if (mux !== null && 'request' in mux && (side.streams.highest === 0 || random() < 0.2)) {
            exercise(mux as GatewayMux, side.streams);
          }
          side.receive(nextFrame(random, corpus, side.streams));
          if (n % FRAMES_A_TURN === 0) await turn();
          const over: boolean = side.mux === null ? random() < 0.05 : side.mux.ended() !== null;
          if (over || random() < 0.001) await finish();
          if (n === FRAMES >> 1) {
            collectGarbage();
            heapAtHalf = process.memoryUsage().heapUsed;
          }
        }
        await finish();
        collectGarbage();
        expect(process.memoryUsage().heapUsed - heapAtHalf).toBeLessThan(GROWTH_BYTES);
        // Few enough that they got somewhere, enough that they came to many ends.
        expect(sides).toBeGreaterThan(FRAMES / 1000);
        expect(sides).toBeLessThan(FRAMES / 10);
        await until('every request has come to an end', () => outcomes.settled === outcomes.asked);
      },
      LONG_MS,
    );
  }
});
