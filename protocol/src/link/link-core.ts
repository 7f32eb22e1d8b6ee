import { isProblem, type Problem } from '../problem/index.js';
import type { LinkClock } from './clock.js';
import { createDeferred, type Deferred } from './deferred.js';
import {
  FRAME,
  type Frame,
  type Goaway,
  type GoawayCode,
  type RequestHead,
  type ResetCode,
  type ResponseHead,
} from './frame-types.js';
import { badFrame, decodeFrame, encodeFrame } from './frames.js';
import { encodeOfConnection, encodeReset } from './heads.js';
import { createHeartbeat } from './heartbeat.js';
import type { LinkLimits } from './limits.js';
import { Stream, type StreamHost } from './stream.js';
import { createSweep } from './sweep.js';
import { CLOSE_NORMAL, CLOSE_PROTOCOL_ERROR, type Transport } from './transport.js';
import { Writer } from './writer.js';

/** How a link ended. `goaway` is what the other side had said of it, if anything. */
export type LinkEnd = {
  /** `local`: close() here; `peer`: the socket closed; `silent`: nothing was heard; `stalled`: nothing could be sent. */
  readonly cause: 'local' | 'peer' | 'silent' | 'stalled' | 'bad-frame';
  readonly message: string;
  readonly goaway: Goaway | null;
};

export type LinkOptions = {
  readonly transport: Transport;
  readonly clock: LinkClock;
  readonly limits: LinkLimits;
  /** Told once, after every stream has been ended. */
  onClose(end: LinkEnd): void;
  /** The other side will take, or open, no more streams. */
  onGoaway(goaway: Goaway): void;
};

/** What both sides of a link can do. */
export type Mux = {
  /** Streams that are open here, and on the node handlers that have not come to their end. */
  openStreams(): number;
  /** Round trip of the last PING that was answered, ms. */
  rttMs(): number | null;
  /** Whether anything is heard from the other side within `limitMs` from now. Never rejects. */
  probe(limitMs: number): Promise<boolean>;
  /** No new streams; those that are open go on. */
  goaway(code: GoawayCode, message: string): void;
  /** Resolves when no stream is open, when `limitMs` is over, or when the link has ended; never rejects. */
  drained(limitMs: number): Promise<void>;
  /** Ends the link at once, with a GOAWAY (unless there was one); open streams end with `link-lost`. */
  close(code: GoawayCode, message: string): void;
  /** Ends it without a word: the other side is dead. */
  terminate(message: string): void;
  /** How it ended, null while it has not. */
  ended(): LinkEnd | null;
};

/** What the two sides do differently. */
export type SideHooks = {
  /** REQUEST has come: only nodes get it. Null: not for this side. */
  readonly request: ((id: number, head: RequestHead) => void) | null;
  /** RESPONSE has come: only gateways get it. */
  readonly response: ((stream: Stream, head: ResponseHead) => void) | null;
  resetProblem(code: ResetCode, message: string): Problem;
  /** GOAWAY has come. */
  goaway(goaway: Goaway): void;
  /** Streams that count against the limit. */
  busy(): number;
  /** A problem for a stream that the end of the link takes with it. */
  lost(stream: Stream, why: string): Problem;
};

/** The parts of a link that its side uses. */
export type LinkCore = {
  readonly mux: Mux;
  readonly host: StreamHost;
  readonly streams: ReadonlyMap<number, Stream>;
  open(id: number): Stream;
  /** What has become free may be all a `drained` waits for. */
  freed(): void;
  /** RESET for a stream that was not taken up. */
  refuse(id: number, message: string): void;
  /** Highest stream there has been. */
  highest(): number;
  sentGoaway(): Goaway | null;
};

/** Receives, keeps the streams, and ends. The receive path only changes state; everything leaves through the writer. */
export function createLinkCore(options: LinkOptions, hooks: SideHooks): LinkCore {
  const { transport, clock, limits } = options;
  const streams = new Map<number, Stream>();
  const drains = new Set<Deferred<void>>();
  let highest = 0;
  let end: LinkEnd | null = null;
  let goawaySent: Goaway | null = null;
  let goawaySeen: Goaway | null = null;

  const writer = new Writer({
    transport,
    clock,
    limits,
    stalled: () => fall('stalled', 'what was sent did not leave in time'),
  });
  const heartbeat = createHeartbeat({
    clock,
    heartbeatMs: limits.heartbeatMs,
    silenceMs: limits.silenceMs,
    ping: (nonce) => writer.connection(encodeFrame({ type: FRAME.ping, stream: 0, nonce })),
    silent: () => fall('silent', 'nothing was heard from the other side'),
  });
  const sweep = createSweep(clock, limits, streams);
  const host: StreamHost = {
    clock,
    limits,
    writer,
    closed(stream) {
      streams.delete(stream.id);
      freed();
    },
  };

  /** The one place where a link ends. */
  const finish = (cause: LinkEnd['cause'], message: string, last: readonly Uint8Array[] | null) => {
    if (end !== null) return null;
    const ending: LinkEnd = { cause, message, goaway: goawaySeen };
    end = ending;
    heartbeat.stop();
    sweep.stop();
    writer.stop(last);
    for (const stream of [...streams.values()]) stream.abandon(hooks.lost(stream, message));
    for (const drain of drains) drain.resolve();
    return ending;
  };
  const fall = (cause: LinkEnd['cause'], message: string) => {
    const ending = finish(cause, message, null);
    if (ending === null) return;
    transport.terminate();
    options.onClose(ending);
  };
  const close = (cause: LinkEnd['cause'], code: GoawayCode, message: string) => {
    if (end !== null) return;
    const last = goawaySent === null || code === 'bad-frame' ? [goawayFrame(code, message)] : [];
    const ending = finish(cause, message, last);
    if (ending === null) return;
    transport.close(code === 'bad-frame' ? CLOSE_PROTOCOL_ERROR : CLOSE_NORMAL, code);
    options.onClose(ending);
  };
  const goawayFrame = (code: GoawayCode, message: string) => {
    goawaySent = { code, message, lastStream: goawaySent?.lastStream ?? highest };
    return encodeOfConnection({ type: FRAME.goaway, stream: 0, payload: goawaySent }, limits);
  };
  const freed = () => {
    if (hooks.busy() > 0) return;
    for (const drain of drains) drain.resolve();
  };
  const owe = (frame: Uint8Array, kind: 'connection' | 'reset') => {
    writer[kind](frame);
    if (writer.owed > limits.maxOwedFrames)
      throw badFrame('it asks for answers and does not read them');
  };

  /** A living stream; null for one that is over. */
  const living = (id: number): Stream | null => {
    const stream = streams.get(id);
    if (stream !== undefined) {
      stream.touch();
      return stream;
    }
    if (id > highest) throw badFrame(`a frame in stream ${id}, which nobody opened`);
    return null;
  };
  const handle = (frame: Frame) => {
    switch (frame.type) {
      case FRAME.data: {
        const stream = living(frame.stream);
        if (stream !== null && frame.bytes.byteLength > 0) takeData(stream, frame.bytes, hooks);
        return;
      }
      case FRAME.end: {
        const stream = living(frame.stream);
        if (stream !== null && inOrder(stream, 'END', hooks)) stream.ended();
        return;
      }
      case FRAME.credit:
        living(frame.stream)?.outbound.grant(frame.offset);
        return;
      case FRAME.reset: {
        const { code, message } = frame.payload;
        // Nor is `no-error` more than that: the answer before it has come whole.
        streams.get(frame.stream)?.abandon(hooks.resetProblem(code, message));
        return;
      }
      case FRAME.request:
        if (hooks.request === null) throw badFrame('REQUEST from a node');
        if (frame.stream <= highest) throw badFrame(`stream ${frame.stream} opened again`);
        highest = frame.stream;
        hooks.request(frame.stream, frame.payload);
        return;
      case FRAME.response: {
        if (hooks.response === null) throw badFrame('RESPONSE from a gateway');
        const stream = living(frame.stream);
        if (stream !== null) hooks.response(stream, frame.payload);
        return;
      }
      case FRAME.ping:
        owe(encodeFrame({ type: FRAME.pong, stream: 0, nonce: frame.nonce }), 'connection');
        return;
      case FRAME.pong:
        heartbeat.pong(frame.nonce);
        return;
      case FRAME.goaway:
        goawaySeen = frame.payload;
        hooks.goaway(frame.payload);
        options.onGoaway(frame.payload);
        return;
      default:
        throw badFrame('a second handshake');
    }
  };

  transport.onMessage((message) => {
    if (end !== null) return;
    heartbeat.heard();
    try {
      const frame = decodeFrame(message, limits);
      if (frame !== null) handle(frame);
    } catch (error) {
      if (!isProblem(error, 'bad-frame')) throw error;
      close('bad-frame', 'bad-frame', error.message);
    }
  });
  transport.onClose((reason) => {
    const ending = finish('peer', reason, null);
    if (ending !== null) options.onClose(ending);
  });

  const mux: Mux = {
    openStreams: () => hooks.busy(),
    rttMs: heartbeat.rttMs,
    probe: heartbeat.probe,
    goaway(code, message) {
      if (end !== null || goawaySent !== null) return;
      writer.connection(goawayFrame(code, message));
    },
    async drained(limitMs) {
      if (end !== null || hooks.busy() === 0) return;
      const drain = createDeferred<void>();
      const callOff = clock.after(limitMs, drain.resolve);
      drains.add(drain);
      await drain.promise;
      drains.delete(drain);
      callOff();
    },
    close: (code, message) => close('local', code, message),
    terminate: (message) => fall('local', message),
    ended: () => end,
  };
  return {
    mux,
    host,
    streams,
    open(id) {
      highest = Math.max(highest, id);
      const stream = new Stream(id, host);
      streams.set(id, stream);
      sweep.start();
      return stream;
    },
    freed,
    refuse: (id, message) => owe(encodeReset(id, 'refused', message), 'reset'),
    highest: () => highest,
    sentGoaway: () => goawaySent,
  };
}

function takeData(stream: Stream, bytes: Uint8Array, hooks: SideHooks): void {
  if (!inOrder(stream, 'DATA', hooks)) return;
  if (stream.inbound.accept(bytes)) return;
  const message = `DATA beyond offset ${stream.inbound.granted}`;
  stream.reset('credit', message, hooks.resetProblem('credit', message));
}

/** Whether DATA or END may come now; a stream that is out of order is given up, the link goes on. */
function inOrder(stream: Stream, what: string, hooks: SideHooks): boolean {
  const early = hooks.response !== null && !stream.headSeen;
  if (!early && stream.inbound.state === 'open') return true;
  const message = early ? `${what} before RESPONSE` : `${what} after END`;
  stream.reset('internal', message, hooks.resetProblem('internal', message));
  return false;
}
