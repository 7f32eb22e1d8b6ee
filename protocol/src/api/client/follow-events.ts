import { Problem } from '../../problem/index.js';
import { notTheApi } from './answer-problem.js';
import { type ClientClock, systemClock } from './clock.js';
import { CLIENT_LIMITS } from './limits.js';
import { absoluteUrl } from './request-url.js';
import { checkAnswer, type Fetch, notReached } from './send.js';
import { createSseParser, type SseMessage } from './sse-parser.js';

/** How following ended. `refused`: asking again would give the same (who asks may not, or there is no such thing). */
export type FollowEnd =
  | { reason: 'done' }
  | { reason: 'aborted' }
  | { reason: 'refused'; problem: Problem };

/**
 * connecting → open → waiting → connecting …; `ended` from any of them. `attempt` counts from 1 since a connection was good;
 * `untilMs` is in ms since epoch, `problem` why.
 */
export type FollowState =
  | { state: 'connecting'; attempt: number }
  | { state: 'open' }
  | { state: 'waiting'; untilMs: number; problem: Problem }
  | { state: 'ended'; end: FollowEnd };

/** What may be set of `CLIENT_LIMITS`. */
export type FollowLimits = {
  readonly [K in
    | 'silenceMs'
    | 'backoffMinMs'
    | 'backoffMaxMs'
    | 'steadyMs'
    | 'eventMaxCharacters']: number;
};

export type FollowOptions<T = SseMessage> = {
  /** In a page it may begin with `/`. */
  url: string;
  /** That of the platform unless given. */
  fetch?: Fetch | undefined;
  /** A function is asked at each connection. */
  headers?: HeadersInit | (() => HeadersInit) | undefined;
  /** Where to go on; null: from the beginning. */
  lastEventId?: string | null | undefined;
  signal?: AbortSignal | undefined;
  /** Once per event, in order. What it throws ends following and rejects. */
  onEvent: (message: T) => void;
  onState?: ((state: FollowState) => void) | undefined;
  /** From the event as it was sent; a `Problem` it throws ends following as `refused`. */
  decode?: ((message: SseMessage) => T) | undefined;
  limits?: Partial<FollowLimits> | undefined;
  clock?: ClientClock | undefined;
  /** From 0 up to 1. */
  random?: (() => number) | undefined;
};

/** The last event of a stream that has an end. */
const DONE = 'done';

/**
 * Follows a stream of server-sent events over any number of connections. One that breaks, ends early, is silent for too long
 * or is not to be had is begun again after a growing wait, and goes on after the last event that had an id: each event with
 * an id comes once. Resolves when it is over for good: `done` came (it is handed on, too), `signal` aborted, or it was
 * refused; rejects only with what `onEvent`
 * or `onState` throws, and with `invalid-argument` for an address that is none.
 *
 * A stream without ids begins anew with each connection; it then starts with a snapshot.
 */
export async function followEvents<T = SseMessage>(options: FollowOptions<T>): Promise<FollowEnd> {
  const { signal, onState, clock = systemClock, random = Math.random } = options;
  const limits = { ...CLIENT_LIMITS, ...options.limits };
  const follower = { lastEventId: options.lastEventId ?? null, failures: 0 };
  const ended = (end: FollowEnd): FollowEnd => {
    onState?.({ state: 'ended', end });
    return end;
  };
  while (true) {
    if (signal?.aborted) return ended({ reason: 'aborted' });
    onState?.({ state: 'connecting', attempt: follower.failures + 1 });
    const outcome = await connectOnce(options, limits, clock, follower);
    if (!(outcome instanceof Problem)) return ended(outcome);
    if (signal?.aborted) return ended({ reason: 'aborted' });
    if (isFinal(outcome)) return ended({ reason: 'refused', problem: outcome });
    const delayMs = backoffMs(follower.failures++, outcome, limits, random);
    onState?.({ state: 'waiting', untilMs: clock.now() + delayMs, problem: outcome });
    await pause(delayMs, clock, signal);
  }
}

type Follower = { lastEventId: string | null; failures: number };

/** One connection: the end of all, or why it is over. */
async function connectOnce<T>(
  options: FollowOptions<T>,
  limits: FollowLimits,
  clock: ClientClock,
  follower: Follower,
): Promise<FollowEnd | Problem> {
  const { signal, onState } = options;
  const url = absoluteUrl(options.url);
  const what = `GET ${new URL(url).pathname}`;
  const connection = new AbortController();
  const close = (): void => connection.abort();
  signal?.addEventListener('abort', close);
  const silence = createSilence(clock, limits.silenceMs, close);
  let openedAt: number | null = null;
  let callback: { error: unknown } | null = null;
  /** What the caller's own functions throw is not the connection's fault. */
  const own = <R>(task: () => R): R => {
    try {
      return task();
    } catch (error) {
      callback = { error };
      throw error;
    }
  };
  try {
    const response = await open(options, url, what, follower.lastEventId, connection.signal);
    openedAt = clock.now();
    own(() => onState?.({ state: 'open' }));
    const parser = createSseParser(limits.eventMaxCharacters);
    for await (const bytes of readBody(response, connection.signal)) {
      silence.broken();
      for (const message of parser.push(bytes)) {
        if (signal?.aborted) break;
        const decoded = own(() => decode(options, message));
        if (decoded instanceof Problem) return { reason: 'refused', problem: decoded };
        own(() => options.onEvent(decoded));
        if (message.id !== null) {
          follower.lastEventId = message.id === '' ? null : message.id;
          follower.failures = 0;
        }
        if (message.event === DONE) return { reason: 'done' };
      }
    }
    return silence.tooLong() ? silent(what, limits.silenceMs) : brokenOff(what);
  } catch (error) {
    if (callback !== null) throw error;
    if (error instanceof Problem) return error;
    return silence.tooLong() ? silent(what, limits.silenceMs) : notReached(what, url, error);
  } finally {
    if (openedAt !== null && clock.now() - openedAt >= limits.steadyMs) follower.failures = 0;
    silence.stop();
    signal?.removeEventListener('abort', close);
    close();
  }
}

function decode<T>({ decode: given }: FollowOptions<T>, message: SseMessage): T | Problem {
  if (given === undefined) return message as T;
  try {
    return given(message);
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}

async function open<T>(
  { fetch = globalThis.fetch, headers }: FollowOptions<T>,
  url: string,
  what: string,
  lastEventId: string | null,
  signal: AbortSignal,
): Promise<Response> {
  const all = new Headers(typeof headers === 'function' ? headers() : headers);
  all.set('accept', 'text/event-stream');
  if (lastEventId !== null) all.set('last-event-id', lastEventId);
  const init = { headers: all, signal, cache: 'no-store', redirect: 'manual' } as const;
  const response = await checkAnswer(await fetch(url, init), what);
  const type = response.headers.get('content-type') ?? '';
  if (response.body === null || !/^text\/event-stream\b/i.test(type))
    throw await notTheApi(response, what);
  return response;
}

async function* readBody({ body }: Response, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const reader = body!.getReader();
  // A body that has broken says so to whoever reads it; cancelling would only say it again.
  const cancel = (): void => void reader.cancel().catch(() => undefined);
  signal.addEventListener('abort', cancel);
  try {
    while (true) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    signal.removeEventListener('abort', cancel);
    cancel();
  }
}

/** Calls `tooLong` unless something is heard every `silenceMs`. */
function createSilence(clock: ClientClock, silenceMs: number, onTooLong: () => void) {
  let over = false;
  const start = (): (() => void) =>
    clock.after(silenceMs, () => {
      over = true;
      onTooLong();
    });
  let stop = start();
  return {
    broken(): void {
      stop();
      stop = start();
    },
    tooLong: () => over,
    stop: () => stop(),
  };
}

/** What asks wrongly, or may not, is told the same the next time; everything else may pass. */
function isFinal({ status, retryable }: Problem): boolean {
  return status >= 400 && status < 500 && !retryable;
}

/** Doubles from the first to the longest; half of it is left to chance, so that not all come back at once. */
function backoffMs(
  failures: number,
  { details }: Problem,
  limits: FollowLimits,
  random: () => number,
) {
  const whole = Math.min(limits.backoffMaxMs, limits.backoffMinMs * 2 ** failures);
  const told = typeof details.retryAfterS === 'number' ? details.retryAfterS * 1000 : 0;
  return Math.max(
    whole / 2 + (whole / 2) * random(),
    Math.min(told, CLIENT_LIMITS.retryAfterMaxMs),
  );
}

function pause(
  delayMs: number,
  clock: ClientClock,
  signal: AbortSignal | undefined,
): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const over = (): void => {
      callOff();
      signal?.removeEventListener('abort', over);
      resolve();
    };
    const callOff = clock.after(delayMs, over);
    signal?.addEventListener('abort', over);
  });
}

function silent(what: string, silenceMs: number): Problem {
  return new Problem(
    'node-timeout',
    `${what}: nothing came for ${silenceMs / 1000} s, not even a sign of life. Connecting again.`,
  );
}

function brokenOff(what: string): Problem {
  return new Problem(
    'link-lost',
    `${what}: the stream ended before it was over. Connecting again.`,
  );
}
