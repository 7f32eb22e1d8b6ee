import { describe, expect, it } from 'vitest';
import { createSocketTransport, type WebSocketLike } from './socket-transport.js';

function createFakeSocket() {
  const calls: string[] = [];
  const sent: ((error?: Error | null) => void)[] = [];
  const listeners = new Map<string, (...args: never[]) => void>();
  const socket: WebSocketLike = {
    send(data, done) {
      calls.push(`send ${data.byteLength}`);
      sent.push(done);
    },
    on: (event: string, listener: (...args: never[]) => void) => listeners.set(event, listener),
    close: (code, reason) => void calls.push(`close ${code} ${reason}`),
    terminate: () => void calls.push('terminate'),
  };
  const raw = { cork: () => void calls.push('cork'), uncork: () => void calls.push('uncork') };
  const emit = (event: string, ...args: unknown[]) => listeners.get(event)?.(...(args as never[]));
  return { socket, raw, calls, sent, emit };
}

describe('a WebSocket as a transport', () => {
  it('hands a batch over as one write, which has left when its last message has', () => {
    const { socket, raw, calls, sent } = createFakeSocket();
    let flushed = 0;
    createSocketTransport(socket, raw).send([new Uint8Array(3), new Uint8Array(4)], () => {
      flushed += 1;
    });
    expect(calls).toEqual(['cork', 'send 3', 'send 4', 'uncork']);
    sent[0]?.();
    expect(flushed).toBe(0);
    sent[1]?.(null);
    expect(flushed).toBe(1);
  });

  it('calls nothing flushed that could not be sent', () => {
    const { socket, raw, sent } = createFakeSocket();
    let flushed = 0;
    createSocketTransport(socket, raw).send([new Uint8Array(3)], () => {
      flushed += 1;
    });
    sent[0]?.(new Error('closed'));
    expect(flushed).toBe(0);
  });

  it('delivers binary messages, and text as what is no frame', () => {
    const { socket, raw, emit } = createFakeSocket();
    const messages: number[] = [];
    createSocketTransport(socket, raw).onMessage((message) => messages.push(message.byteLength));
    emit('message', new Uint8Array(9), true);
    emit('message', new Uint8Array(9), false);
    expect(messages).toEqual([9, 0]);
  });

  it('says why it closed: the error if there was one, else what the other side said', () => {
    const reasons: string[] = [];
    for (const error of [new Error('ECONNRESET'), null]) {
      const { socket, raw, emit } = createFakeSocket();
      createSocketTransport(socket, raw).onClose((reason) => reasons.push(reason));
      if (error !== null) emit('error', error);
      emit('close', 1000, new TextEncoder().encode('bye'));
    }
    expect(reasons).toEqual(['ECONNRESET', 'the socket closed with 1000 bye']);
  });
});
