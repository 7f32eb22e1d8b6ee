import { describe, expect, it } from 'vitest';
import { isProblem } from '../problem/index.js';
import { type AcceptOptions, acceptLink } from './accept-link.js';
import { type ConnectOptions, connectLink } from './connect-link.js';
import { FRAME, type Frame, type Hello, type Welcome } from './frame-types.js';
import { LINK_LIMITS } from './limits.js';
import { createManualClock } from './manual-clock.test-data.js';
import { createMemoryPair } from './memory-pair.js';
import { createRawPeer } from './raw-peer.test-data.js';
import type { Transport } from './transport.js';

const HELLO: Hello = {
  protocols: [1],
  node: 'build-1',
  instance: 'V1StGXR8',
  version: '0.1.0',
  labels: { os: 'linux' },
  allow: ['read', 'run'],
};
const WELCOME: Welcome = {
  protocol: 1,
  gateway: 'main',
  generation: 4,
  heartbeatMs: 15_000,
  maxFrame: 32_768,
  window: 262_144,
  maxStreams: 256,
};
const hello = (payload: Hello): Frame => ({ type: FRAME.hello, stream: 0, payload });
const welcome = (payload: Welcome): Frame => ({ type: FRAME.welcome, stream: 0, payload });

function watch<T>(promise: Promise<T>): { value: T | null; error: unknown } {
  const result: { value: T | null; error: unknown } = { value: null, error: null };
  promise.then(
    (value) => {
      result.value = value;
    },
    (error: unknown) => {
      result.error = error;
    },
  );
  return result;
}

function accepting(change: Partial<AcceptOptions> = {}) {
  const clock = createManualClock();
  const peer = createRawPeer();
  const result = watch(
    acceptLink({
      transport: peer.transport,
      clock,
      limits: LINK_LIMITS,
      gateway: 'main',
      admit: async () => ({ generation: 4 }),
      onClose: () => undefined,
      onGoaway: () => undefined,
      ...change,
    }),
  );
  return { clock, peer, result };
}

function connecting(change: Partial<ConnectOptions> = {}) {
  const clock = createManualClock();
  const peer = createRawPeer();
  const asked: string[] = [];
  const result = watch(
    connectLink({
      transport: peer.transport,
      clock,
      limits: LINK_LIMITS,
      hello: HELLO,
      onRequest: async (request, respond) => {
        asked.push(request.path);
        respond({ status: 204, headers: [], end: true });
      },
      onError: () => undefined,
      onClose: () => undefined,
      onGoaway: () => undefined,
      ...change,
    }),
  );
  return { clock, peer, result, asked };
}

describe('the handshake', () => {
  it('tells the gateway who comes and the node what holds', async () => {
    const clock = createManualClock();
    const pair = createMemoryPair(clock);
    const events = { onClose: () => undefined, onGoaway: () => undefined };
    const common = { clock, limits: LINK_LIMITS, ...events };
    const accepted = watch(
      acceptLink({
        ...common,
        transport: pair.gateway,
        gateway: 'main',
        admit: async ({ node }) => ({ generation: node === 'build-1' ? 4 : 0 }),
      }),
    );
    const connected = watch(
      connectLink({
        ...common,
        transport: pair.node,
        hello: HELLO,
        onRequest: async () => undefined,
        onError: () => undefined,
      }),
    );
    await clock.settle();
    expect(accepted.value?.hello).toEqual(HELLO);
    expect(connected.value?.welcome).toEqual(WELCOME);
  });

  it('settles on the highest protocol both speak', async () => {
    const { clock, peer } = accepting({ protocols: [1, 2, 3] });
    peer.send(hello({ ...HELLO, protocols: [2, 1, 7] }));
    await clock.settle();
    expect(peer.take()).toMatchObject([{ type: FRAME.welcome, payload: { protocol: 2 } }]);
  });

  it('refuses a node with no protocol in common and says what it knows of it', async () => {
    const { clock, peer, result } = accepting();
    peer.send(hello({ ...HELLO, protocols: [7], version: '9.0.0' }));
    await clock.settle();
    const [goaway] = peer.take();
    expect(goaway).toMatchObject({ type: FRAME.goaway, payload: { code: 'protocol' } });
    expect(goaway?.type === FRAME.goaway && goaway.payload.message).toContain('update needed');
    expect(peer.endings).toEqual(['close 1000 protocol']);
    expect(result.error).toMatchObject({
      code: 'update-needed',
      retryable: false,
      details: { node: 'build-1', version: '9.0.0', protocols: [7] },
    });
    expect(clock.pending()).toBe(0);
  });

  it('refuses what the gateway does not admit, and the node learns why', async () => {
    const refused = accepting({
      admit: async () => ({
        refuse: 'name-in-use',
        message: 'build-1 is connected from elsewhere',
      }),
    });
    refused.peer.send(hello(HELLO));
    await refused.clock.settle();
    expect(refused.result.error).toMatchObject({ code: 'name-in-use' });

    const { clock, peer, result } = connecting();
    peer.send(...refused.peer.take());
    await clock.settle();
    expect(result.error).toMatchObject({
      code: 'name-in-use',
      retryable: true,
      details: { goaway: 'name-in-use' },
    });
    expect(isProblem(result.error) && result.error.message).toContain('connected from elsewhere');
    expect(clock.pending()).toBe(0);
  });

  it('has a limit on the gateway until HELLO has come', async () => {
    const { clock, peer, result } = accepting();
    await clock.advance(LINK_LIMITS.handshakeMs - 1);
    expect(result.error).toBeNull();
    await clock.advance(1);
    expect(result.error).toMatchObject({ code: 'node-timeout' });
    expect(peer.endings).toHaveLength(1);
    expect(clock.pending()).toBe(0);
  });

  it('has a limit on the node from before the socket is open', async () => {
    let open: (transport: Transport) => void = () => undefined;
    const opening = new Promise<Transport>((resolve) => {
      open = resolve;
    });
    const { clock, peer, result } = connecting({ transport: opening });
    await clock.advance(LINK_LIMITS.handshakeMs);
    expect(result.error).toMatchObject({ code: 'node-timeout', retryable: true });
    // One that opens after all is not left behind.
    open(peer.transport);
    await clock.settle();
    expect(peer.endings).toEqual(['terminate']);
    expect(peer.take()).toEqual([]);
    expect(clock.pending()).toBe(0);
  });

  it('has a limit on the node until WELCOME has come', async () => {
    const { clock, peer, result } = connecting();
    await clock.advance(LINK_LIMITS.admissionMs);
    expect(result.error).toMatchObject({ code: 'node-timeout' });
    expect(peer.endings).toEqual(['terminate']);
    expect(clock.pending()).toBe(0);
  });

  it('can be given up', async () => {
    const giveUp = new AbortController();
    const { clock, peer, result } = connecting({ signal: giveUp.signal });
    giveUp.abort();
    await clock.settle();
    expect(result.error).toMatchObject({ code: 'cancelled' });
    expect(peer.endings).toEqual(['terminate']);
    expect(clock.pending()).toBe(0);
  });

  it('tells the one who decides that the node has gone', async () => {
    let decided: AbortSignal | null = null;
    const { clock, peer, result } = accepting({
      admit: (_hello, signal) => {
        decided = signal;
        return new Promise(() => undefined);
      },
    });
    peer.send(hello(HELLO));
    peer.closed('gone');
    await clock.settle();
    expect((decided as AbortSignal | null)?.aborted).toBe(true);
    expect(result.error).toMatchObject({ code: 'link-lost' });
  });

  it('takes nothing but HELLO first and WELCOME second', async () => {
    const other: Frame = { type: FRAME.ping, stream: 0, nonce: 1n };
    const gateway = accepting();
    gateway.peer.send(other);
    await gateway.clock.settle();
    expect(gateway.result.error).toMatchObject({ code: 'bad-frame' });
    expect(gateway.peer.take()).toMatchObject([{ payload: { code: 'bad-frame' } }]);

    const node = connecting();
    node.peer.send(other);
    await node.clock.settle();
    expect(node.result.error).toMatchObject({ code: 'bad-frame' });
    expect(node.peer.endings).toEqual(['terminate']);
  });

  it('loses no request that comes in one read with WELCOME', async () => {
    const { clock, peer, result, asked } = connecting();
    peer.send(welcome(WELCOME), {
      type: FRAME.request,
      stream: 1,
      payload: { method: 'GET', path: '/first', headers: [], end: true },
    });
    await clock.settle();
    expect(result.value?.welcome).toEqual(WELCOME);
    expect(asked).toEqual(['/first']);
  });

  it('is refused by a node that cannot take frames so large', async () => {
    const { clock, peer, result } = connecting();
    peer.send(welcome({ ...WELCOME, maxFrame: 65_536 }));
    await clock.settle();
    expect(result.error).toMatchObject({ code: 'bad-frame' });
  });
});
