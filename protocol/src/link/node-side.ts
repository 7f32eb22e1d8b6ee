import { Problem } from '../problem/index.js';
import type { LinkBody } from './body.js';
import type { LinkHeaders, RequestHead, ResetCode, ResponseHead } from './frame-types.js';
import { encodeResponse } from './heads.js';
import { createLinkCore, type LinkCore, type LinkOptions, type Mux } from './link-core.js';
import { cancelledByGateway, linkLost } from './reset-problem.js';
import type { Stream } from './stream.js';

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

/** The node's end of a link whose handshake is done. */
export function createNodeMux(options: NodeOptions): Mux {
  const { limits } = options;
  /** Streams that are open and handlers that run. */
  const busy = new Set<Stream>();

  const core: LinkCore = createLinkCore(options, {
    response: null,
    resetProblem: cancelledByGateway,
    goaway: () => undefined,
    busy: () => busy.size,
    lost: (_stream, why) => linkLost(why, true),
    request(id, head) {
      // The gateway opened it before it read the GOAWAY, and will see that it was not taken up.
      if (core.sentGoaway() !== null) return;
      if (busy.size >= limits.maxStreams) {
        core.refuse(id, `${limits.maxStreams} requests are under way`);
        return;
      }
      const stream = core.open(id);
      busy.add(stream);
      if (head.end) stream.ended();
      // After everything that came with it: a request that was called off in the same read is never begun.
      queueMicrotask(() => void serve(stream, head));
    },
  });

  async function serve(stream: Stream, head: RequestHead): Promise<void> {
    const cancel = new AbortController();
    const release = () => {
      busy.delete(stream);
      core.freed();
    };
    if (!stream.open) {
      release();
      return;
    }
    let handled = false;
    stream.user = {
      failed: (problem) => cancel.abort(problem),
      closed() {
        if (handled) release();
      },
    };
    const request: IncomingRequest = {
      method: head.method,
      path: head.path,
      headers: head.headers,
      body: head.end ? null : stream.inbound,
      signal: cancel.signal,
    };
    try {
      await options.onRequest(request, (answer) => respond(stream, answer));
    } catch (error) {
      // Of a stream that has ended early, the error is that end.
      if (stream.problem === null) options.onError(error, request);
      stream.reset('internal', 'the node failed to answer', broken('failed'));
    }
    handled = true;
    if (stream.open && !stream.outbound.closing) {
      const problem = broken('ended without a complete answer');
      options.onError(problem, request);
      stream.reset('internal', 'the answer is incomplete', problem);
    }
    stream.inbound.discard();
    if (!stream.open) release();
  }

  function respond(stream: Stream, head: ResponseHead): ResponseWriter {
    if (stream.problem !== null) throw stream.problem;
    if (stream.headSeen) throw new Error('A request was answered twice.');
    const frame = encodeResponse(stream.id, head, limits);
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

  return core.mux;
}

function broken(how: string): Problem {
  return new Problem('internal', `The handler of a request ${how}.`);
}
