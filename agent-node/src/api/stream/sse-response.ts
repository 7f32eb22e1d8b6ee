import type { ApiLimits } from '../limits.js';
import { SSE_COMMENT } from './sse-text.js';

export type SseChannel = {
  /** To the reader as soon as it reads. Too much unread cuts it off. */
  push: (text: string) => void;
  /** Nothing more comes; what was pushed still goes out. */
  end: () => void;
};

export type SseSource = {
  /** Next page of what is stored: asked for when the reader has taken all before. What it does not end, pushes go on with. */
  replay: () => { text: string; next: 'replay' | 'follow' | 'end' };
  /** Nobody reads any more, or all is said. Called once. */
  close: () => void;
};

type SseInput = {
  signal: AbortSignal;
  limits: Pick<ApiLimits, 'commentEveryMs' | 'backlogMaxBytes'>;
  open: (channel: SseChannel) => SseSource;
};

/**
 * States: replaying (a page each time the reader asks) → following (pushes, at most `backlogMaxBytes` of them unread) →
 * ending (what is unread goes out) → over. An aborted request, a cancelled body and a backlog that is too long lead to over
 * at once.
 */
type State = 'replaying' | 'following' | 'ending' | 'over';

export function sseResponse(input: SseInput): Response {
  return new Response(createBody(input), {
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
    },
  });
}

function createBody({ signal, limits, open }: SseInput): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let state: State = 'replaying';
  // The head of the answer leaves with the first bytes.
  let unread: string[] = [SSE_COMMENT];
  let unreadBytes = 0;
  let asked: (() => void) | null = null;
  let controller: ReadableStreamDefaultController<Uint8Array>;
  let source: SseSource | null = null;

  const over = (): void => {
    if (state === 'over') return;
    state = 'over';
    unread = [];
    clearInterval(comments);
    signal.removeEventListener('abort', leave);
    source?.close();
    asked?.();
    asked = null;
  };
  const leave = (): void => {
    if (state === 'over') return;
    controller.close();
    over();
  };
  /** Gives the reader, when it waits, what there is. */
  const deliver = (): void => {
    if (asked === null || state === 'over') return;
    if (unread.length > 0) {
      controller.enqueue(encoder.encode(unread.join('')));
      unread = [];
      unreadBytes = 0;
      asked();
      asked = null;
    } else if (state === 'ending') leave();
    else if (state === 'replaying') {
      const { text, next } = source!.replay();
      if (next !== 'replay') state = next === 'follow' ? 'following' : 'ending';
      if (text !== '') unread.push(text);
      deliver();
    }
  };
  const push = (text: string): void => {
    if (state === 'over' || state === 'ending') return;
    unread.push(text);
    unreadBytes += Buffer.byteLength(text);
    deliver();
    if (unreadBytes > limits.backlogMaxBytes) leave();
  };
  const comments = setInterval(() => {
    if (state === 'following' && unread.length === 0) push(SSE_COMMENT);
  }, limits.commentEveryMs);
  comments.unref();

  return new ReadableStream<Uint8Array>(
    {
      start: (given) => {
        controller = given;
        source = open({
          push,
          end: () => {
            if (state === 'over') return;
            state = 'ending';
            deliver();
          },
        });
        signal.addEventListener('abort', leave);
        if (signal.aborted) leave();
      },
      pull: () =>
        new Promise<void>((resolve, reject) => {
          asked = resolve;
          try {
            deliver();
          } catch (error) {
            over();
            reject(error);
          }
        }),
      cancel: over,
    },
    // One chunk ahead of the reader and no more: what waits is counted here.
    { highWaterMark: 0 },
  );
}
