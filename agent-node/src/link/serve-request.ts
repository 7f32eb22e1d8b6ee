import { problemAnswer } from '@uncaged/protocol/http';
import {
  type IncomingRequest,
  type LinkHeaders,
  type RequestHandler,
  type Respond,
  type ResponseWriter,
  toReadableStream,
} from '@uncaged/protocol/link';
import { Problem } from '@uncaged/protocol/problem';
import { nanoid } from 'nanoid';
import type { Log, RequestLine } from '../api/index.js';
import { createBareRequest, isBare, ORIGIN } from './bare-request.js';
import { createJsonAnswer, JsonAnswer } from './json-answer.js';
import { PATH_SHOWN_CHARACTERS } from './limits.js';

/** What answers: a Hono app is one. */
export type RequestApp = {
  fetch(request: Request, line: RequestLine): Response | Promise<Response>;
};

type ServeInput = {
  readonly app: RequestApp;
  readonly log: Log;
  /** Aborted when the node goes: streams of events, which have no end of their own, end in order. */
  readonly leaving: AbortSignal;
};

const NO_BODY_STATUS: ReadonlySet<number> = new Set([204, 205, 304]);
const SENT = Promise.resolve();
const EVENT_STREAM = 'text/event-stream';
/** Of one connection, and `set-cookie`: sessions are the gateway's. */
const NOT_FORWARDED: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'set-cookie',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * Answers the requests of a link with an app. The head and what there is of the body leave at once; a body is read no faster
 * than the link takes it, and no further once nobody waits for it.
 */
export function createRequestServer({ app, log, leaving }: ServeInput): RequestHandler {
  return async (incoming, respond) => {
    const { method, path } = incoming;
    const note = (text: string) =>
      log('G3VK8WQ2', `${method} ${path.slice(0, PATH_SHOWN_CHARACTERS)}: ${text}`);
    let response: Response;
    let answer: Answer;
    try {
      const fetched = app.fetch(webRequest(incoming), {
        rawPath: path,
        jsonResponse: createJsonAnswer,
      });
      response = fetched instanceof Promise ? await fetched : fetched;
      const sent = answerJson(response, incoming, respond);
      if (sent !== null) return await sent;
      answer = begin(response, incoming, respond);
    } catch (error) {
      // Nobody is left to be told, and what was thrown may be just that.
      if (incoming.signal.aborted) return;
      response = failed(error, note);
      answer = begin(response, incoming, respond);
    }
    const { reader, writer } = answer;
    if (reader === null) {
      if (response.body !== null) await response.body.cancel();
      return;
    }
    // These have no end of their own.
    const isEvents = response.headers.get('content-type')?.startsWith(EVENT_STREAM) === true;
    const { signal } = incoming;
    await pump({ reader, writer, signal, leaving: isEvents ? leaving : null, note });
  };
}

function webRequest(incoming: IncomingRequest): Request {
  if (isBare(incoming)) return createBareRequest(incoming);
  const { method, path, headers, body, signal } = incoming;
  const init: RequestInit = { method, headers: headers.map(([name, value]) => [name, value]) };
  // A body of these two is not looked at; left unread, it is called off with the answer.
  if (body !== null && method !== 'GET' && method !== 'HEAD') {
    const whole = body.takeRest();
    if (whole === null) Object.assign(init, { body: toReadableStream(body), duplex: 'half' });
    else init.body = whole as Uint8Array<ArrayBuffer>;
  }
  const request = new Request(ORIGIN + path, init);
  // Given to the constructor it would be followed by a second one, which takes longer than all the rest.
  Object.defineProperty(request, 'signal', { value: signal });
  return request;
}

/** Sends what is JSON and nobody has looked into as it is; null: it is something else. Rejects when its stream ends. */
function answerJson(
  response: Response,
  { method }: IncomingRequest,
  respond: Respond,
): Promise<void> | null {
  const parts = JsonAnswer.parts(response);
  if (parts === null) return null;
  const bare = method === 'HEAD';
  const writer = respond({ status: response.status, headers: parts.headers, end: bare });
  if (bare) return SENT;
  const written = writer.write(parts.body);
  writer.end();
  return written;
}

type Answer = { reader: Reader | null; writer: ResponseWriter };
type Reader = ReadableStreamDefaultReader<Uint8Array>;

/** Sends the head. Throws what `Respond` throws; the body is called off then. */
function begin(response: Response, incoming: IncomingRequest, respond: Respond): Answer {
  const { status, body } = response;
  const bare = body === null || incoming.method === 'HEAD' || NO_BODY_STATUS.has(status);
  const reader = bare ? null : body.getReader();
  try {
    const writer = respond({ status, headers: forwarded(response.headers), end: bare });
    return { reader, writer };
  } catch (error) {
    // Why it ends so is in `error`.
    void (reader ?? body)?.cancel(error).catch(() => undefined);
    throw error;
  }
}

type PumpInput = Answer & {
  reader: Reader;
  signal: AbortSignal;
  leaving: AbortSignal | null;
  note: (text: string) => void;
};

/** Rejects when the body breaks off: what was sent must not look like a whole answer. */
async function pump({ reader, writer, signal, leaving, note }: PumpInput): Promise<void> {
  // A loop of events does not end by the signal of its request alone. A read that is pending sees the end of the body then.
  const stop = (event: Event) => {
    const { reason } = event.target as AbortSignal;
    reader.cancel(reason).catch((error: unknown) => note(`cannot be called off: ${String(error)}`));
  };
  const stops = leaving === null ? [signal] : [signal, leaving];
  for (const each of stops) each.addEventListener('abort', stop, { once: true });
  try {
    if (stops.some((each) => each.aborted)) await reader.cancel();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      await writer.write(value);
    }
    writer.end();
  } catch (error) {
    if (!signal.aborted) {
      note(`the answer broke off: ${String(error)}`);
      await reader.cancel(error);
    }
    throw error;
  } finally {
    for (const each of stops) each.removeEventListener('abort', stop);
  }
}

function forwarded(headers: Headers): LinkHeaders {
  return [...headers].filter(([name]) => !NOT_FORWARDED.has(name));
}

function failed(error: unknown, note: (text: string) => void): Response {
  const id = nanoid();
  note(`${id} ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  const text = `Something went wrong in the node that should not; its log says more under ${id}.`;
  const { body, ...head } = problemAnswer(new Problem('internal', text, { cause: error }));
  return new Response(body, head);
}
