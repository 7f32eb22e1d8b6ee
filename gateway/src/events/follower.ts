import type { ServerResponse } from 'node:http';
import type { LinkClock } from '@uncaged/protocol/link';
import { SSE_COMMENT } from './sse-text.js';

/** A client that follows, as those see it who write to it. */
export type Follower = {
  /** To the client, or nothing when it has left. Too much unread cuts it off. */
  write: (bytes: Buffer) => void;
  /** As `write`, of something that is large by nature: it does not count as unread until the client has read all. */
  writeSnapshot: (bytes: Buffer) => void;
  /** Nothing more comes; what was written still goes out. */
  end: () => void;
};

type FollowerInput = {
  response: ServerResponse;
  clock: LinkClock;
  backlogMaxBytes: number;
  /** Once: the client has left, or was cut off, or ended. */
  onGone: (how: 'left' | 'cut' | 'ended') => void;
};

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
};

const OK = 200;

/** Begins the answer; its head and first bytes leave at once. */
export function createFollower({
  response,
  clock,
  backlogMaxBytes,
  onGone,
}: FollowerInput): Follower {
  let isGone = false;
  let isLookDue = false;
  let exemptBytes = 0;
  const gone = (how: 'left' | 'cut' | 'ended'): void => {
    if (isGone) return;
    isGone = true;
    onGone(how);
  };
  /** What one turn brings may be more than that; what the socket does not take of it counts. */
  const look = (): void => {
    isLookDue = false;
    if (isGone || response.writableLength - exemptBytes <= backlogMaxBytes) return;
    gone('cut');
    response.destroy();
  };
  const write = (bytes: Buffer): void => {
    if (isGone) return;
    if (response.write(bytes)) exemptBytes = 0;
    else if (!isLookDue) {
      isLookDue = true;
      clock.soon(look);
    }
  };
  response.on('close', () => gone('left'));
  // The client has gone in the middle of a write; `close` follows.
  response.on('error', () => gone('left'));
  response.on('drain', () => {
    exemptBytes = 0;
  });
  response.writeHead(OK, HEADERS);
  write(SSE_COMMENT);
  return {
    write,
    writeSnapshot: (bytes) => {
      exemptBytes = Math.max(exemptBytes, bytes.byteLength);
      write(bytes);
    },
    end: () => {
      if (isGone) return;
      gone('ended');
      response.end();
    },
  };
}
