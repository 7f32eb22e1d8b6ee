import {
  acceptLink,
  connectLink,
  createSystemClock,
  type GatewayMux,
  type Goaway,
  LINK_LIMITS,
  type LinkClock,
  type LinkEnd,
  type LinkLimits,
  type LinkRequest,
  type Mux,
} from '@uncaged/protocol/link';
import { until } from '../support/until.js';
import type { OpenPair, TransportPair } from './open-pair.js';
import { createTestNode } from './test-node.js';

export type TestLink = {
  readonly pair: TransportPair;
  readonly gateway: GatewayMux;
  readonly node: Mux;
  /** Paths the node was asked for. */
  readonly seen: readonly string[];
  readonly errors: readonly unknown[];
  readonly ends: { gateway: LinkEnd | null; node: LinkEnd | null };
  readonly goaways: readonly Goaway[];
  /** Waits until both sides are at rest, closes the link, and checks that nothing is left. */
  close(): Promise<void>;
};

/** A link whose handshake is done, between a gateway and the node for tests. */
export async function openLink(
  open: OpenPair,
  limits: Partial<LinkLimits> = {},
): Promise<TestLink> {
  const pair = await open();
  const { handler, seen } = createTestNode();
  const clock = createCountingClock();
  const ends: TestLink['ends'] = { gateway: null, node: null };
  const errors: unknown[] = [];
  const goaways: Goaway[] = [];
  const common = { clock, limits: { ...LINK_LIMITS, ...limits } };

  const [accepted, connected] = await Promise.all([
    acceptLink({
      ...common,
      transport: pair.gateway,
      gateway: 'test-gateway',
      admit: async () => ({ generation: 1 }),
      onClose: (end) => {
        ends.gateway = end;
      },
      onGoaway: (goaway) => goaways.push(goaway),
    }),
    connectLink({
      ...common,
      transport: pair.node,
      hello: { node: 'build-1', instance: 'one', version: '1', labels: {}, allow: ['read'] },
      onRequest: handler,
      onError: (error) => errors.push(error),
      onClose: (end) => {
        ends.node = end;
      },
      onGoaway: (goaway) => goaways.push(goaway),
    }),
  ]);
  const gateway = accepted.mux;
  const node = connected.mux;
  return {
    pair,
    gateway,
    node,
    seen,
    errors,
    ends,
    goaways,
    async close() {
      await until('no stream is open on either side', () => {
        return gateway.openStreams() === 0 && node.openStreams() === 0;
      });
      gateway.close('shutdown', 'the test is over');
      node.close('shutdown', 'the test is over');
      await pair.close();
      await until('no timer is left', () => clock.pending() === 0);
    },
  };
}

/** The clock of the process, which knows how many of its timers are still to come. */
function createCountingClock(): LinkClock & { pending(): number } {
  const clock = createSystemClock();
  const pending = new Set<object>();
  return {
    now: clock.now,
    soon: clock.soon,
    pending: () => pending.size,
    after(delayMs, task) {
      const timer = {};
      pending.add(timer);
      const callOff = clock.after(delayMs, () => {
        pending.delete(timer);
        task();
      });
      return () => {
        pending.delete(timer);
        callOff();
      };
    },
  };
}

/** A request of little interest. */
export function get(path: string, signal?: AbortSignal): LinkRequest {
  return { method: 'GET', path, headers: [], body: null, signal };
}

export function post(path: string, body: LinkRequest['body']): LinkRequest {
  return { method: 'POST', path, headers: [], body };
}

/** Asks and reads all of the answer. */
export async function ask(
  gateway: GatewayMux,
  request: LinkRequest,
): Promise<{ status: number; bytes: Uint8Array }> {
  const { status, body } = await gateway.request(request);
  const chunks: Uint8Array[] = [];
  for await (const chunk of body ?? []) chunks.push(chunk);
  return { status, bytes: Buffer.concat(chunks) };
}

/** The code of the problem that a promise rejects with, or `fulfilled`. */
export async function outcomeOf(working: Promise<unknown>): Promise<string> {
  return working.then(
    () => 'fulfilled',
    (error: unknown) => String((error as { code?: unknown }).code ?? error),
  );
}
