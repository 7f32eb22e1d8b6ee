import { Problem } from '../problem/index.js';
import type { Stream } from './stream.js';

/** Where the bytes of a request come from. */
export type BodySource = ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>;

export type PulledBody = {
  /** The next chunk, null at the end. */
  next(): Promise<Uint8Array | null>;
  /** No more is needed; may be said again, and after the end. */
  stop(): void;
};

/** One way to read both kinds. (Not every browser can iterate over a stream.) */
export function createBodySource(body: BodySource): PulledBody {
  let over = false;
  const stopWith = (release: () => Promise<unknown> | undefined) => () => {
    if (over) return;
    over = true;
    // Whoever made the source learns of its own failure there; to the request it does not matter any more.
    release()?.catch(() => undefined);
  };
  if ('getReader' in body) {
    const reader = body.getReader();
    return {
      async next() {
        const { done, value } = await reader.read();
        over ||= done;
        return done ? null : value;
      },
      stop: stopWith(() => reader.cancel()),
    };
  }
  const iterator = body[Symbol.asyncIterator]();
  return {
    async next() {
      const { done, value } = await iterator.next();
      over ||= done === true;
      return done === true ? null : value;
    },
    stop: stopWith(() => iterator.return?.()),
  };
}

/** Sends a body; never rejects: what goes wrong ends the stream, and the request with it. */
export async function pumpBody(
  source: PulledBody,
  stream: Stream,
  maxBytes: number,
): Promise<void> {
  let total = 0;
  try {
    for (;;) {
      const chunk = await source.next();
      if (stream.outbound.closing) return;
      if (chunk === null) {
        stream.outbound.end();
        return;
      }
      total += chunk.byteLength;
      if (total > maxBytes) {
        const message = `the request's body has more than ${maxBytes} bytes`;
        const problem = new Problem('too-large', `Too large: ${message}. Send less.`);
        stream.reset('too-large', message, problem);
        return;
      }
      await stream.outbound.write(chunk);
    }
  } catch (cause) {
    // Stopped by the other side, or with the link: the request has been told why.
    if (stream.outbound.closing) return;
    const problem = new Problem(
      'cancelled',
      'The body of the request broke off where it came from.',
      {
        cause,
      },
    );
    stream.reset('cancelled', 'the body broke off', problem);
  }
}
