import { Problem } from '../problem/index.js';
import type { LinkBody } from './body.js';
import { type BodySource, createBodySource, type PulledBody, pumpBody } from './body-source.js';
import type { Goaway, LinkHeaders, RequestHead, ResetCode, ResponseHead } from './frame-types.js';
import { encodeRequest } from './heads.js';
import { LinkCore, type LinkOptions, type Mux } from './link-core.js';
import { linkLost, noNewStreams, problemOfReset, tooManyStreams } from './reset-problem.js';
import type { Stream, StreamUser } from './stream.js';

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
  return new GatewayLink(options);
}

class GatewayLink extends LinkCore implements GatewayMux {
  get asks(): boolean {
    return true;
  }

  openStreams(): number {
    return this.streams.size;
  }

  request(asked: LinkRequest): Promise<LinkResponse> {
    // What is thrown in here rejects it.
    return new Promise((resolve, reject) => this.#ask(asked, resolve, reject));
  }

  #ask(
    asked: LinkRequest,
    resolve: (response: LinkResponse) => void,
    reject: (problem: Problem) => void,
  ): void {
    const { method, path, headers, body, signal } = asked;
    this.#checkOpen(signal);
    const id = this.highest + 1;
    const end = body === null;
    const frame = encodeRequest(id, { method, path, headers, end }, this.limits);
    const stream = this.open(id);
    const source = body === null ? null : createBodySource(body);
    stream.user = new Question(stream, { signal, source, resolve, reject });
    if (end) stream.outbound.endWithHead();
    stream.sendHead(frame);
    if (source !== null)
      void pumpBody(source, stream, asked.maxBodyBytes ?? this.limits.maxRequestBodyBytes);
  }

  /** Throws what forbids a new stream now. */
  #checkOpen(signal: CallOff | undefined): void {
    const end = this.ended();
    if (end !== null) throw linkLost(end.message, false);
    const goaway = this.goawaySeen ?? this.goawaySent;
    if (goaway !== null) throw noNewStreams(goaway.message);
    const { maxStreams, maxStreamId } = this.limits;
    if (this.highest >= maxStreamId) {
      this.goaway('shutdown', 'the numbers of this link are used up');
      throw noNewStreams('its numbers are used up');
    }
    if (this.streams.size >= maxStreams) throw tooManyStreams(maxStreams);
    if (signal?.aborted === true) throw cancelledHere(signal);
  }

  protected requested(): void {
    throw new Error('A gateway was asked.');
  }

  protected answered(stream: Stream, { status, headers, end }: ResponseHead): void {
    if (stream.headSeen) {
      const message = 'a second RESPONSE';
      stream.reset('internal', message, problemOfReset('internal', message));
      return;
    }
    stream.markHeadSeen();
    if (end) stream.ended();
    (stream.user as Question).answered({ status, headers, body: end ? null : stream.inbound });
  }

  protected resetProblem(code: ResetCode, message: string): Problem {
    return problemOfReset(code, message);
  }

  protected heardGoaway({ lastStream, message }: Goaway): void {
    for (const stream of [...this.streams.values()])
      if (stream.id > lastStream) stream.abandon(noNewStreams(message));
  }

  protected lost(stream: Stream, why: string): Problem {
    return linkLost(why, stream.headHandedOver);
  }
}

type Asker = {
  readonly signal: CallOff | undefined;
  readonly source: PulledBody | null;
  resolve(response: LinkResponse): void;
  reject(problem: Problem): void;
};

/** A request under way. */
class Question implements StreamUser {
  readonly #stream: Stream;
  readonly #asker: Asker;
  readonly #abort: (() => void) | null = null;

  constructor(stream: Stream, asker: Asker) {
    this.#stream = stream;
    this.#asker = asker;
    const { signal } = asker;
    if (signal === undefined) return;
    this.#abort = () =>
      this.#stream.reset('cancelled', 'the caller has left', cancelledHere(signal));
    signal.addEventListener('abort', this.#abort, { once: true });
  }

  answered(response: LinkResponse): void {
    this.#asker.resolve(response);
  }

  failed(problem: Problem): void {
    this.#asker.reject(problem);
  }

  sendingOver(): void {
    this.#asker.source?.stop();
  }

  closed(): void {
    const { signal, source } = this.#asker;
    if (this.#abort !== null) signal?.removeEventListener('abort', this.#abort);
    source?.stop();
  }
}

function cancelledHere(signal: CallOff): Problem {
  return new Problem('cancelled', 'The request was called off by whoever asked.', {
    cause: signal.reason,
  });
}
