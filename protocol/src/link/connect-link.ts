import { Problem } from '../problem/index.js';
import { createDeferred } from './deferred.js';
import { FRAME, type Hello, LINK_PROTOCOLS, type Welcome } from './frame-types.js';
import { badFrame, decodeFrame } from './frames.js';
import { limitsOfWelcome, refusedWith } from './handshake-terms.js';
import { encodeOfConnection } from './heads.js';
import type { Mux } from './link-core.js';
import { createNodeMux, type NodeOptions } from './node-side.js';
import { linkLost } from './reset-problem.js';
import type { Transport } from './transport.js';

export type ConnectOptions = Omit<NodeOptions, 'transport'> & {
  /** May still be opening: the limit of the handshake counts from the call. A promise rejects when it cannot be opened. */
  readonly transport: Transport | Promise<Transport>;
  readonly hello: Omit<Hello, 'protocols'> & { readonly protocols?: Hello['protocols'] };
  /** Gives the attempt up. Has no say once there is a link. */
  readonly signal?: AbortSignal | undefined;
};

export type ConnectedLink = { readonly mux: Mux; readonly welcome: Welcome };

/**
 * The node's handshake: HELLO, then WELCOME or GOAWAY. `opening` → `greeting` → `over`, where it ends as a link or rejects:
 * `node-timeout` (nothing in time), `bad-frame`, `link-lost`, `cancelled`, what the promise of the transport rejected with, or
 * what the gateway refused it with: `update-needed`, `token-revoked` (final), `name-in-use`, `unreachable` (try again).
 */
export function connectLink(options: ConnectOptions): Promise<ConnectedLink> {
  const { clock, limits, signal } = options;
  const result = createDeferred<ConnectedLink>();
  let state: 'opening' | 'greeting' | 'over' = 'opening';
  let transport: Transport | null = null;
  let callOff = () => {};

  const end = () => {
    state = 'over';
    callOff();
    signal?.removeEventListener('abort', abort);
  };
  const fail = (error: unknown) => {
    if (state === 'over') return;
    end();
    transport?.terminate();
    result.reject(error);
  };
  const limit = (ms: number, what: string) => {
    callOff();
    callOff = clock.after(ms, () => {
      fail(new Problem('node-timeout', `The gateway did not ${what} within ${ms} ms. Try again.`));
    });
  };
  const abort = () => {
    const cause: unknown = signal?.reason;
    fail(new Problem('cancelled', 'The attempt to connect was given up.', { cause }));
  };

  const greet = (opened: Transport) => {
    if (state === 'over') {
      opened.terminate();
      return;
    }
    state = 'greeting';
    transport = opened;
    limit(limits.admissionMs, 'answer HELLO');
    opened.onClose((reason) => fail(linkLost(reason, false)));
    opened.onMessage((message) => {
      if (state === 'over') return;
      try {
        welcomed(opened, message);
      } catch (error) {
        fail(error);
      }
    });
    const payload = { ...options.hello, protocols: options.hello.protocols ?? [...LINK_PROTOCOLS] };
    opened.send(
      [encodeOfConnection({ type: FRAME.hello, stream: 0, payload }, limits)],
      () => undefined,
    );
  };
  const welcomed = (opened: Transport, message: Uint8Array) => {
    const frame = decodeFrame(message, limits);
    if (frame === null) return;
    if (frame.type === FRAME.goaway) throw refusedWith(frame.payload);
    if (frame.type !== FRAME.welcome) throw badFrame('the first frame of a gateway is WELCOME');
    const welcome = frame.payload;
    if (welcome.maxFrame > limits.maxFrameBytes) {
      throw badFrame(
        `frames of ${welcome.maxFrame} bytes, this node takes ${limits.maxFrameBytes}`,
      );
    }
    end();
    // In the same turn: requests may stand right behind WELCOME.
    const own = limitsOfWelcome(limits, welcome);
    result.resolve({ mux: createNodeMux({ ...options, transport: opened, limits: own }), welcome });
  };

  if (signal?.aborted === true) {
    abort();
  } else {
    signal?.addEventListener('abort', abort, { once: true });
    limit(limits.handshakeMs, 'take the connection');
  }
  if (options.transport instanceof Promise) options.transport.then(greet, fail);
  else greet(options.transport);
  return result.promise;
}
