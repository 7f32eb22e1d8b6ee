import type { IncomingMessage } from 'node:http';
import { LINGER_MAX_BYTES, LINGER_MS } from './limits.js';

/** The body of a client's request. */
export type Upload = {
  /** Reads on as it is asked to and no further. Fails when the client leaves before the end. */
  readonly source: AsyncIterable<Uint8Array>;
  /** Nobody reads it any more, and it has not come to its end. */
  isUnread(): boolean;
  /** Drops what still comes: to its end, or as much of it as is put up with. Never rejects. */
  linger(): Promise<void>;
};

type Waiting = {
  resolve: (result: IteratorResult<Uint8Array>) => void;
  reject: (why: Error) => void;
};

const DONE: IteratorResult<Uint8Array> = { done: true, value: undefined };

/** `reading` → `ended` (all of it was read), `left` (the client has gone) or `dropping` (the reader has). */
type UploadState = 'reading' | 'ended' | 'left' | 'dropping';

/** To be made in the turn in which the request comes to be read; nothing is read before `source` is. */
export function createUpload(request: IncomingMessage): Upload {
  let state: UploadState = 'reading';
  let waiting: Waiting | null = null;
  let dropped = 0;
  let lingered: (() => void) | null = null;

  const settle = (result: IteratorResult<Uint8Array>): void => {
    const one = waiting;
    waiting = null;
    one?.resolve(result);
  };
  const take = (chunk: Uint8Array): void => {
    if (state === 'reading') {
      // Asked for: it flows only while somebody waits.
      request.pause();
      settle({ done: false, value: chunk });
      return;
    }
    dropped += chunk.byteLength;
    if (dropped > LINGER_MAX_BYTES) lingered?.();
  };
  const end = (): void => {
    if (state === 'reading') state = 'ended';
    settle(DONE);
    lingered?.();
  };
  const leave = (): void => {
    if (state === 'reading') state = 'left';
    waiting?.reject(new Error('the client has left'));
    waiting = null;
    lingered?.();
  };
  request.on('end', end);
  request.on('close', leave);
  request.on('error', leave);
  let isListening = false;
  const flow = (): void => {
    if (!isListening) request.on('data', take);
    isListening = true;
    request.resume();
  };

  const iterator: AsyncIterator<Uint8Array> = {
    next() {
      if (state === 'ended') return Promise.resolve(DONE);
      // Never a regular end: what was not read must not be taken for the whole.
      if (state !== 'reading' || request.destroyed)
        return Promise.reject(new Error('the body was given up'));
      return new Promise((resolve, reject) => {
        waiting = { resolve, reject };
        flow();
      });
    },
    return() {
      if (state === 'reading') {
        state = 'dropping';
        request.pause();
        settle(DONE);
      }
      return Promise.resolve(DONE);
    },
  };

  return {
    source: { [Symbol.asyncIterator]: () => iterator },
    isUnread: () => state !== 'ended' && state !== 'left' && !request.readableEnded,
    linger() {
      if (state === 'ended' || state === 'left' || request.destroyed || request.readableEnded)
        return Promise.resolve();
      state = 'dropping';
      waiting?.reject(new Error('the body was given up'));
      waiting = null;
      return new Promise((resolve) => {
        const timer = setTimeout(() => lingered?.(), LINGER_MS);
        lingered = () => {
          lingered = null;
          clearTimeout(timer);
          request.pause();
          resolve();
        };
        flow();
      });
    },
  };
}
