import { Problem } from '../../problem/index.js';
import { isRedirect, notTheApi, problemOfAnswer } from './answer-problem.js';
import type { ClientClock } from './clock.js';
import type { UploadBody } from './upload-body.js';

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export type ApiRequest = {
  /** For people: `GET /api/node`. */
  what: string;
  url: string;
  method: string;
  headers: Headers;
  body: string | UploadBody | null;
  signal: AbortSignal | undefined;
};

export type SendOptions = { fetch: Fetch; clock: ClientClock; timeoutMs: number };

/**
 * Asks, and hands a good answer to `read`; both within `timeoutMs`. Rejects with the signal's reason when it aborts, else
 * with a `Problem`.
 */
export async function send<T>(
  { what, signal, url, ...init }: ApiRequest,
  { fetch, clock, timeoutMs }: SendOptions,
  read: (response: Response) => Promise<T>,
): Promise<T> {
  const limit = new AbortController();
  const stopClock = clock.after(timeoutMs, () => limit.abort());
  try {
    signal?.throwIfAborted();
    const both = signal === undefined ? limit.signal : AbortSignal.any([signal, limit.signal]);
    const response = await fetch(url, {
      ...init,
      // Needed for a stream, and not known to the types of a page.
      ...(init.body instanceof ReadableStream ? { duplex: 'half' } : {}),
      signal: both,
      redirect: 'manual',
    });
    return await read(await checkAnswer(response, what));
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    if (limit.signal.aborted) throw timedOut(what, timeoutMs, error);
    throw error instanceof Problem ? error : notReached(what, url, error);
  } finally {
    stopClock();
  }
}

/** Throws the `Problem` that an answer is. 304 is one that was asked for. */
export async function checkAnswer(response: Response, what: string): Promise<Response> {
  if (isRedirect(response)) throw await notTheApi(response, what);
  if (!response.ok && response.status !== 304) throw await problemOfAnswer(response, what);
  return response;
}

/** `unreachable`: nobody answered, or the connection broke while it did. */
export function notReached(what: string, url: string, cause: unknown): Problem {
  return new Problem(
    'unreachable',
    `${what}: no answer from ${new URL(url).origin} (${reasonOf(cause)}). Is it running, and is the address right?`,
    { cause },
  );
}

function timedOut(what: string, timeoutMs: number, cause: unknown): Problem {
  return new Problem(
    'node-timeout',
    `${what} was not answered within ${timeoutMs / 1000} s. Whether it was carried out is not known: look before asking again.`,
    { cause },
  );
}

/** Node says why in the cause, browsers do not say. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? reasonOf(error.cause) : error.message || error.name;
}
