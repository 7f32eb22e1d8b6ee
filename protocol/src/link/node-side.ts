import { Problem } from '../problem/index.js';
import type { LinkBody } from './body.js';
import type { LinkHeaders, RequestHead, ResetCode, ResponseHead } from './frame-types.js';
import { encodeResponse } from './heads.js';
import { LinkCore, type LinkOptions, type Mux } from './link-core.js';
import { cancelledByGateway, linkLost } from './reset-problem.js';
import type { Stream, StreamUser } from './stream.js';

export type IncomingRequest = {
  readonly method: RequestHead['method'];
  /** Path and query as they stood in the client's request line. */
  readonly path: string;
  readonly headers: LinkHeaders;
  /** Null: there is none. */
  readonly body: LinkBody | null;
  /** Aborted, with a `Problem` as its reason, when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
};

export type ResponseWriter = {
  /** Queues a chunk of the body, which must not be changed afterwards; to be awaited, it waits for the reader. */
  write(chunk: Uint8Array): Promise<void>;
  /** The answer is complete. What has not come of the request's body is called off. */
  end(): void;
  /** Breaks the answer off. */
  reset(code: ResetCode, message: string): void;
};

/**
 * Sends the head, once; with `end: true` that is the whole answer. Throws `invalid-argument` or `too-large` for a head that
 * cannot cross (nothing is sent then), and the reason of the signal when nobody waits any more.
 */
export type Respond = (head: ResponseHead) => ResponseWriter;

/**
 * Answers a request. The stream counts against the limit of the link until its promise has settled; by then the answer must
 * be complete.
 */
export type RequestHandler = (request: IncomingRequest, respond: Respond) => Promise<void>;

export type NodeOptions = LinkOptions & {
  readonly onRequest: RequestHandler;
  /** A handler failed while somebody was waiting for its answer. */
  onError(error: unknown, request: IncomingRequest): void;
};

const THIS_TURN = Promise.resolve();

/** The node's end of a link whose handshake is done. */
export function createNodeMux(options: NodeOptions): Mux {
  return new NodeLink(options);
}

class NodeLink extends LinkCore {
  readonly #options: Pick<NodeOptions, 'onRequest' | 'onError'>;
  /** Streams that are open and handlers that run. */
  #busy = 0;

  constructor(options: NodeOptions) {
    super(options);
    this.#options = options;
  }

  get asks(): boolean {
    return false;
  }

  openStreams(): number {
    return this.#busy;
  }

  protected requested(id: number, head: RequestHead): void {
    // The gateway opened it before it read the GOAWAY, and will see that it was not taken up.
    if (this.goawaySent !== null) return;
    const { maxStreams } = this.limits;
    if (this.#busy >= maxStreams) {
      this.refuse(id, `${maxStreams} requests are under way`);
      return;
    }
    const stream = this.open(id);
    this.#busy += 1;
    if (head.end) stream.ended();
    // After everything that came with it: a request that was called off in the same read is never begun.
    void THIS_TURN.then(() => this.#serve(stream, head));
  }

  async #serve(stream: Stream, head: RequestHead): Promise<void> {
    const release = () => {
      this.#busy -= 1;
      this.freed();
    };
    if (!stream.open) {
      release();
      return;
    }
    const request = new Handling(head, head.end ? null : stream.inbound, release);
    stream.user = request;
    const { onRequest, onError } = this.#options;
    try {
      await onRequest(request, (answer) => this.#respond(stream, answer));
    } catch (error) {
      // Of a stream that has ended early, the error is that end.
      if (stream.problem === null) onError(error, request);
      stream.reset('internal', 'the node failed to answer', broken('failed'));
    }
    if (stream.open && !stream.outbound.closing) {
      const problem = broken('ended without a complete answer');
      onError(problem, request);
      stream.reset('internal', 'the answer is incomplete', problem);
    }
    stream.inbound.discard();
    request.handled(stream.open);
  }

  #respond(stream: Stream, head: ResponseHead): ResponseWriter {
    if (stream.problem !== null) throw stream.problem;
    if (stream.headSeen) throw new Error('A request was answered twice.');
    const frame = encodeResponse(stream.id, head, this.limits);
    stream.markHeadSeen();
    if (head.end) stream.outbound.endWithHead();
    stream.sendHead(frame);
    if (head.end) stream.finishAnswer();
    return {
      write: (chunk) => stream.outbound.write(chunk),
      end: () => stream.finishAnswer(),
      reset: (code, message) => stream.reset(code, message, broken('broke its answer off')),
    };
  }

  protected answered(): void {
    throw new Error('A node was answered.');
  }

  protected resetProblem(code: ResetCode, message: string): Problem {
    return cancelledByGateway(code, message);
  }

  protected heardGoaway(): void {}

  protected lost(_stream: Stream, why: string): Problem {
    return linkLost(why, true);
  }
}

/** A request and its handler. */
class Handling implements IncomingRequest, StreamUser {
  readonly method: RequestHead['method'];
  readonly path: string;
  readonly headers: LinkHeaders;
  readonly body: LinkBody | null;
  /** Both its handler and its stream are through. */
  readonly #release: () => void;
  #isHandled = false;
  #problem: Problem | null = null;
  /** Made when somebody looks: an AbortController takes 3 µs, and most handlers are done before they would ask. */
  #cancel: AbortController | null = null;

  constructor(head: RequestHead, body: LinkBody | null, release: () => void) {
    this.method = head.method;
    this.path = head.path;
    this.headers = head.headers;
    this.body = body;
    this.#release = release;
  }

  get signal(): AbortSignal {
    if (this.#cancel === null) {
      this.#cancel = new AbortController();
      if (this.#problem !== null) this.#cancel.abort(this.#problem);
    }
    return this.#cancel.signal;
  }

  failed(problem: Problem): void {
    this.#problem = problem;
    this.#cancel?.abort(problem);
  }

  closed(): void {
    if (this.#isHandled) this.#release();
  }

  handled(isOpen: boolean): void {
    this.#isHandled = true;
    if (!isOpen) this.#release();
  }
}

function broken(how: string): Problem {
  return new Problem('internal', `The handler of a request ${how}.`);
}
