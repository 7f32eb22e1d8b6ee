import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { LinkClock } from '@uncaged/protocol/link';
import { describe, expect, it } from 'vitest';
import { createFollower } from './follower.js';

const BACKLOG_BYTES = 100;

/** A client whose socket takes nothing until `drain`; turns end when the test says so. */
function createStuckClient() {
  const turn: (() => void)[] = [];
  const clock: LinkClock = {
    now: () => 0,
    after: () => () => undefined,
    soon: (task) => void turn.push(task),
  };
  const socket = Object.assign(new EventEmitter(), {
    writableLength: 0,
    isDestroyed: false,
    isEnded: false,
    writeHead: () => socket,
    write: (bytes: Buffer) => {
      socket.writableLength += bytes.byteLength;
      return false;
    },
    end: () => {
      socket.isEnded = true;
    },
    destroy: () => {
      socket.isDestroyed = true;
      socket.emit('close');
    },
  });
  const gone: string[] = [];
  const follower = createFollower({
    response: socket as unknown as ServerResponse,
    clock,
    backlogMaxBytes: BACKLOG_BYTES,
    onGone: (how) => gone.push(how),
  });
  const endTurn = () => {
    for (const task of turn.splice(0)) task();
  };
  const drain = () => {
    socket.writableLength = 0;
    socket.emit('drain');
  };
  return { socket, follower, gone, endTurn, drain };
}

const bytes = (size: number) => Buffer.alloc(size, 'a');

describe('a follower', () => {
  it('may leave so much unread and no more', () => {
    const { socket, follower, gone, endTurn, drain } = createStuckClient();
    drain();
    follower.write(bytes(BACKLOG_BYTES));
    endTurn();
    expect(gone).toEqual([]);
    follower.write(bytes(1));
    endTurn();
    expect(gone).toEqual(['cut']);
    expect(socket.isDestroyed).toBe(true);
    follower.write(bytes(1));
    expect(socket.writableLength).toBe(BACKLOG_BYTES + 1);
  });

  it('is not cut off for a large snapshot, but for what piles up behind it', () => {
    const { follower, gone, endTurn } = createStuckClient();
    follower.writeSnapshot(bytes(10 * BACKLOG_BYTES));
    follower.write(bytes(BACKLOG_BYTES / 2));
    endTurn();
    expect(gone).toEqual([]);
    follower.write(bytes(BACKLOG_BYTES));
    endTurn();
    expect(gone).toEqual(['cut']);
  });

  it('has no credit left of a snapshot that it has read', () => {
    const { follower, gone, endTurn, drain } = createStuckClient();
    follower.writeSnapshot(bytes(10 * BACKLOG_BYTES));
    drain();
    follower.write(bytes(2 * BACKLOG_BYTES));
    endTurn();
    expect(gone).toEqual(['cut']);
  });

  it('is judged when the turn is over, when the socket has taken what it could', () => {
    const { follower, gone, endTurn, drain } = createStuckClient();
    follower.write(bytes(10 * BACKLOG_BYTES));
    drain();
    endTurn();
    expect(gone).toEqual([]);
  });

  it('is gone once, whether it leaves, breaks or is ended', () => {
    for (const [how, act] of [
      ['left', ({ socket }) => socket.emit('close')],
      ['left', ({ socket }) => socket.emit('error', new Error('reset'))],
      ['ended', ({ follower }) => follower.end()],
    ] as [string, (client: ReturnType<typeof createStuckClient>) => void][]) {
      const client = createStuckClient();
      act(client);
      client.socket.emit('close');
      client.follower.end();
      expect(client.gone).toEqual([how]);
      expect(client.socket.isEnded).toBe(how === 'ended');
    }
  });
});
