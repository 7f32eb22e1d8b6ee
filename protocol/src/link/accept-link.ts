import { isProblem, Problem } from '../problem/index.js';
import { createDeferred } from './deferred.js';
import { FRAME, type GoawayCode, type Hello, LINK_PROTOCOLS, type Welcome } from './frame-types.js';
import { badFrame, decodeFrame } from './frames.js';
import { createGatewayMux, type GatewayMux } from './gateway-side.js';
import { commonProtocol, refusedWith, updateNeeded, welcomeOf } from './handshake-terms.js';
import { encodeOfConnection } from './heads.js';
import type { LinkOptions } from './link-core.js';
import { linkLost } from './reset-problem.js';
import { CLOSE_NORMAL } from './transport.js';

/** What a gateway says to a HELLO it understood. */
export type Admission =
  | { readonly generation: number }
  | { readonly refuse: GoawayCode; readonly message: string };

export type AcceptOptions = LinkOptions & {
  /** The gateway's name, for people. */
  readonly gateway: string;
  /** Protocols it speaks; `LINK_PROTOCOLS` unless a test says otherwise. */
  readonly protocols?: readonly number[];
  /** Told of every HELLO that was understood, before anything is decided: also of one without a common protocol. */
  heard?(hello: Hello): void;
  /** Decides on a node; the signal is aborted when the node has gone in the meantime. */
  admit(hello: Hello, signal: AbortSignal): Promise<Admission>;
};

export type AcceptedLink = {
  readonly mux: GatewayMux;
  readonly hello: Hello;
  readonly welcome: Welcome;
};

/**
 * The gateway's handshake: waits for HELLO, asks `admit`, answers WELCOME or GOAWAY. Begun when the socket is there.
 * `hello` → `admission` → `over`, where it ends as a link or rejects: `node-timeout` (no HELLO in time), `bad-frame`,
 * `link-lost`, `update-needed`, what `refuse` stands for, or what `admit` threw. The transport is closed then.
 */
export function acceptLink(options: AcceptOptions): Promise<AcceptedLink> {
  const { transport, clock, limits, protocols = LINK_PROTOCOLS } = options;
  const result = createDeferred<AcceptedLink>();
  const gone = new AbortController();
  let state: 'hello' | 'admission' | 'over' = 'hello';

  /** `said`: what the node is told, where that is not all of the error. */
  const fail = (error: unknown, goaway: GoawayCode | null, said?: string) => {
    if (state === 'over') return;
    state = 'over';
    callOff();
    gone.abort(error);
    if (goaway !== null) {
      const message =
        said ?? (isProblem(error) ? error.message : 'the gateway could not decide; try again');
      const payload = { code: goaway, message, lastStream: 0 };
      transport.send(
        [encodeOfConnection({ type: FRAME.goaway, stream: 0, payload }, limits)],
        () => undefined,
      );
      transport.close(CLOSE_NORMAL, goaway);
    }
    result.reject(error);
  };
  const callOff = clock.after(limits.handshakeMs, () => {
    if (state !== 'hello') return;
    fail(new Problem('node-timeout', `No HELLO within ${limits.handshakeMs} ms.`), 'protocol');
  });

  const greet = async (hello: Hello) => {
    state = 'admission';
    callOff();
    options.heard?.(hello);
    const protocol = commonProtocol(protocols, hello.protocols);
    if (protocol === null) {
      fail(updateNeeded(protocols, hello), 'protocol');
      return;
    }
    let admission: Admission;
    try {
      admission = await options.admit(hello, gone.signal);
    } catch (error) {
      fail(error, 'shutdown');
      return;
    }
    // The node has gone while it was decided.
    if (gone.signal.aborted) return;
    if ('refuse' in admission) {
      const { refuse: code, message } = admission;
      fail(refusedWith({ code, message }), code, message);
      return;
    }
    state = 'over';
    const welcome = welcomeOf(protocol, options.gateway, admission.generation, limits);
    transport.send(
      [encodeOfConnection({ type: FRAME.welcome, stream: 0, payload: welcome }, limits)],
      () => undefined,
    );
    // In the same turn: nothing that comes may find nobody.
    result.resolve({ mux: createGatewayMux(options), hello, welcome });
  };

  transport.onClose((reason) => fail(linkLost(reason, false), null));
  transport.onMessage((message) => {
    if (state === 'over') return;
    try {
      const frame = decodeFrame(message, limits);
      if (frame === null) return;
      if (state !== 'hello' || frame.type !== FRAME.hello) {
        throw badFrame('the first frame of a node is HELLO, the next one comes after WELCOME');
      }
      void greet(frame.payload);
    } catch (error) {
      fail(error, 'bad-frame');
    }
  });
  return result.promise;
}
