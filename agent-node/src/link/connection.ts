import {
  type ConnectedLink,
  connectLink,
  type Goaway,
  type Hello,
  type LinkClock,
  type LinkEnd,
  type Mux,
  type RequestHandler,
  type Transport,
} from '@uncaged/protocol/link';
import { isProblem, type Problem } from '@uncaged/protocol/problem';
import type { Log } from '../api/index.js';
import type { DialInput } from './dial.js';
import { type NodeLinkLimits, PATH_SHOWN_CHARACTERS } from './limits.js';
import { goneProblem, withAdvice } from './loss.js';
import { isFinal, retryDelayMs, sleep } from './retry.js';

/**
 * `dialling` → `connected` (WELCOME came) or `waiting` (that failed); `connected` → `waiting` (the link ended, or the gateway
 * said that it will: then the old link goes on with what is open while a new one is made); `waiting` → `dialling`, for ever.
 * From each of them: a final problem → `ended`; the signal → `leaving` (no new requests, those that are open are waited for)
 * → `ended`.
 */
export type ConnectionState =
  | { readonly name: 'dialling'; readonly gateway: string }
  | { readonly name: 'connected'; readonly gateway: string; readonly gatewayName: string }
  | {
      readonly name: 'waiting';
      readonly gateway: string;
      readonly problem: Problem;
      readonly delayMs: number;
    }
  | { readonly name: 'leaving'; readonly openStreams: number }
  | { readonly name: 'ended'; readonly problem: Problem | null };

export type ConnectionInput = {
  /** Tried in this order, one link at a time. At least one. */
  readonly gateways: readonly string[];
  readonly hello: Omit<Hello, 'protocols'>;
  readonly onRequest: RequestHandler;
  /** Opens a transport to `<gateway>/connect`: `dial` with what it needs beyond. */
  readonly open: (input: Pick<DialInput, 'gateway' | 'signal'>) => Promise<Transport>;
  readonly onState: (state: ConnectionState) => void;
  readonly clock: LinkClock;
  /** 0 ≤ n < 1 */
  readonly random: () => number;
  readonly limits: NodeLinkLimits;
  readonly log: Log;
  /** Ends the connection in order. */
  readonly signal: AbortSignal;
};

type Link = {
  mux: Mux;
  gatewayName: string;
  /** Why there has to be another one. Also when this one still has requests to finish. */
  gone: Promise<Problem>;
};

/**
 * Keeps the node connected to one of its gateways. Resolves once the signal has aborted and the links are closed; rejects with
 * the Problem that no further attempt would change: `unauthorized`, `forbidden`, `token-revoked`, `update-needed`,
 * `invalid-argument`.
 */
export async function keepConnected(input: ConnectionInput): Promise<void> {
  const { gateways, clock, limits, signal } = input;
  /** Links that are open: the current one, and those that finish what they have. */
  const links = new Set<Mux>();
  const closing = new Set<Promise<void>>();
  let at = 0;
  let failures = 0;

  /** The one setter. */
  const move = (state: ConnectionState) => input.onState(state);
  const close = (mux: Mux, limitMs: number) => {
    const closed = closeInOrder(mux, limitMs).finally(() => {
      links.delete(mux);
      closing.delete(closed);
    });
    closing.add(closed);
  };
  /** Resolves to why it failed or was lost; null: the signal. */
  const once = async (gateway: string): Promise<Problem | null> => {
    move({ name: 'dialling', gateway });
    const link = await connectOnce(input, gateway);
    if (isProblem(link)) {
      failures += 1;
      at = (at + 1) % gateways.length;
      return signal.aborted ? null : link;
    }
    links.add(link.mux);
    move({ name: 'connected', gateway, gatewayName: link.gatewayName });
    const since = clock.now();
    const problem = await goneOrAborted(link.gone, signal);
    if (problem === null) return null;
    if (clock.now() - since >= limits.healthyMs) failures = 0;
    failures += 1;
    // What announces its end is better not asked again first.
    if (link.mux.ended() === null) at = (at + 1) % gateways.length;
    close(link.mux, limits.retireMs);
    return problem;
  };

  let final: Problem | null = null;
  while (!signal.aborted && final === null) {
    const gateway = gateways[at];
    if (gateway === undefined) throw new Error('there is no gateway to connect to');
    const problem = await once(gateway);
    if (problem === null) break;
    if (isFinal(problem)) {
      final = problem;
      break;
    }
    const { random } = input;
    const delayMs = retryDelayMs({ problem, failures, gateways: gateways.length, random, limits });
    move({ name: 'waiting', gateway, problem: withAdvice(problem, input.hello.node), delayMs });
    await sleep(delayMs, clock, signal);
  }
  let openStreams = 0;
  for (const mux of links) openStreams += mux.openStreams();
  if (final === null) move({ name: 'leaving', openStreams });
  for (const mux of links) close(mux, limits.drainMs);
  await Promise.all(closing);
  move({ name: 'ended', problem: final });
  if (final !== null) throw final;
}

/** A link, or why there is none. */
async function connectOnce(input: ConnectionInput, gateway: string): Promise<Link | Problem> {
  const { clock, limits, hello, onRequest, log } = input;
  // Of this attempt: the time limit of the handshake must end the dialling too.
  const attempt = new AbortController();
  const giveUp = () => attempt.abort(input.signal.reason);
  input.signal.addEventListener('abort', giveUp, { once: true });
  if (input.signal.aborted) giveUp();
  let lose: (problem: Problem) => void = () => undefined;
  const gone = new Promise<Problem>((resolve) => {
    lose = resolve;
  });
  try {
    const { mux, welcome }: ConnectedLink = await connectLink({
      transport: input.open({ gateway, signal: attempt.signal }),
      clock,
      limits,
      hello,
      signal: attempt.signal,
      onRequest,
      onError: (error, { method, path }) =>
        log('V6T2N9KE', `${method} ${path.slice(0, PATH_SHOWN_CHARACTERS)}: ${String(error)}`),
      onGoaway: (goaway: Goaway) => lose(goneProblem(gateway, goaway, null)),
      onClose: (end: LinkEnd) => lose(goneProblem(gateway, end.goaway, end.message)),
    });
    return { mux, gatewayName: welcome.gateway, gone };
  } catch (error) {
    attempt.abort(error);
    if (!isProblem(error)) throw error;
    return error;
  } finally {
    input.signal.removeEventListener('abort', giveUp);
  }
}

async function closeInOrder(mux: Mux, limitMs: number): Promise<void> {
  // Without requests the GOAWAY of `close` is enough, and this one would not leave before it.
  if (mux.openStreams() > 0) {
    mux.goaway('shutdown', 'the node goes');
    await mux.drained(limitMs);
  }
  mux.close('shutdown', 'the node goes');
}

/** Null: the signal. Leaves no listener behind: there may be thousands of links in the life of a process. */
function goneOrAborted(gone: Promise<Problem>, signal: AbortSignal): Promise<Problem | null> {
  return new Promise((resolve) => {
    const stop = () => resolve(null);
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    void gone.then((problem) => {
      signal.removeEventListener('abort', stop);
      resolve(problem);
    });
  });
}
