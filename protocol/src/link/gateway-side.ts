import { Problem } from '../problem/index.js';
import type { LinkBody } from './body.js';
import { type BodySource, createBodySource, pumpBody } from './body-source.js';
import { createDeferred } from './deferred.js';
import type { Goaway, LinkHeaders, RequestHead, ResponseHead } from './frame-types.js';
import { encodeRequest } from './heads.js';
import { createLinkCore, type LinkCore, type LinkOptions, type Mux } from './link-core.js';
import { linkLost, noNewStreams, problemOfReset, tooManyStreams } from './reset-problem.js';
import type { Stream } from './stream.js';

/** What is used of an `AbortSignal`, so that a cheaper one may be given. */
export type CallOff = Pick<AbortSignal, 'aborted' | 'reason'> & {
  addEventListener(type: 'abort', listener: () => void, options?: { once: boolean }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
};

export type LinkRequest = {
  readonly method: RequestHead['method'];
  /** Path and query as they stood in the request line. */
  readonly path: string;
  readonly headers: LinkHeaders;
  /** Read as the node reads it. Given up (`return`, `cancel`) when the node needs no more of it. */
  readonly body: BodySource | null;
  /** Its abort ends the request, before its head or after. */
  readonly signal?: CallOff | undefined;
  /** For a route that takes larger bodies than the rest, bytes. */
  readonly maxBodyBytes?: number | undefined;
};

export type LinkResponse = {
  readonly status: number;
  readonly headers: LinkHeaders;
  /** To be read or cancelled: until then the stream counts as open. Null: there is none. */
  readonly body: LinkBody | null;
};

export type GatewayMux = Mux & {
  /**
   * Asks the node; resolves with the head of its answer. Rejects with `overloaded`, `unreachable` (no new streams), `link-lost`,
   * `node-timeout`, `node-failed`, `too-large`, `cancelled` (the signal, or the body's source failed) or `invalid-argument`
   * (a head that cannot cross); `isNotStarted` says of each whether the request may be repeated. Concurrent calls are safe.
   */
  request(request: LinkRequest): Promise<LinkResponse>;
};

/** The gateway's end of a link whose handshake is done. */
export function createGatewayMux(options: LinkOptions): GatewayMux {
  const { limits } = options;
  let goawaySeen: Goaway | null = null;
  const core: LinkCore = createLinkCore(options, {
    request: null,
    response: takeResponse,
    resetProblem: problemOfReset,
    goaway(goaway) {
      goawaySeen = goaway;
      for (const stream of [...core.streams.values()]) {
        if (stream.id > goaway.lastStream) stream.abandon(noNewStreams(goaway.message));
      }
    },
    busy: () => core.streams.size,
    lost: (stream, why) => linkLost(why, stream.headHandedOver),
  });
  const heads = new Map<Stream, (response: LinkResponse) => void>();

  function takeResponse(stream: Stream, { status, headers, end }: ResponseHead): void {
    const answer = heads.get(stream);
    if (answer === undefined) {
      stream.reset(
        'internal',
        'a second RESPONSE',
        problemOfReset('internal', 'a second RESPONSE'),
      );
      return;
    }
    heads.delete(stream);
    stream.markHeadSeen();
    if (end) stream.ended();
    answer({ status, headers, body: end ? null : stream.inbound });
  }

  /** Throws what forbids a new stream now. */
  function checkOpen(signal: CallOff | undefined): void {
    const end = core.mux.ended();
    if (end !== null) throw linkLost(end.message, false);
    const goaway = goawaySeen ?? core.sentGoaway();
    if (goaway !== null) throw noNewStreams(goaway.message);
    if (core.highest() >= limits.maxStreamId) {
      core.mux.goaway('shutdown', 'the numbers of this link are used up');
      throw noNewStreams('its numbers are used up');
    }
    if (core.streams.size >= limits.maxStreams) throw tooManyStreams(limits.maxStreams);
    if (signal?.aborted === true) throw cancelledHere(signal);
  }

  async function request(asked: LinkRequest): Promise<LinkResponse> {
    const { method, path, headers, body, signal } = asked;
    checkOpen(signal);
    const id = core.highest() + 1;
    const end = body === null;
    const frame = encodeRequest(id, { method, path, headers, end }, limits);
    const stream = core.open(id);
    const response = createDeferred<LinkResponse>();
    const source = body === null ? null : createBodySource(body);
    const abort = () => {
      if (signal !== undefined)
        stream.reset('cancelled', 'the caller has left', cancelledHere(signal));
    };
    signal?.addEventListener('abort', abort, { once: true });
    heads.set(stream, response.resolve);
    stream.user = {
      failed: response.reject,
      sendingOver: () => source?.stop(),
      closed() {
        heads.delete(stream);
        signal?.removeEventListener('abort', abort);
        source?.stop();
      },
    };
    if (end) stream.outbound.endWithHead();
    stream.sendHead(frame);
    if (source !== null)
      void pumpBody(source, stream, asked.maxBodyBytes ?? limits.maxRequestBodyBytes);
    return response.promise;
  }

  return { ...core.mux, request };
}

function cancelledHere(signal: CallOff): Problem {
  return new Problem('cancelled', 'The request was called off by whoever asked.', {
    cause: signal.reason,
  });
}
