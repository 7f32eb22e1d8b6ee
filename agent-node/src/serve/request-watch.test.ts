import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { PACK_MEDIA_TYPE } from '@uncaged/protocol/api';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { serveLimits } from './limits.js';
import { watchRequests } from './request-watch.js';
import { openTestServer, TOKEN } from './test-serve.js';

const LIMITS = { requestTimeoutMs: 100_000, uploadSilenceMs: 60_000, connectionsCheckMs: 5 };
const BODY_BYTES = 1_000_000;
/** Far above what anything here needs, with two cores that others use too. */
const WAIT = { timeout: 30_000 };

/** A server whose clock is set by hand, and one request to it whose head is there already. */
async function openRequest(
  how: 'upload' | 'other',
  handle: (request: IncomingMessage, response: ServerResponse) => void,
) {
  let now = 0;
  let looks = 0;
  // Nothing else than what is tested closes a connection.
  const server = createServer({ keepAliveTimeout: 0 }, handle);
  watchRequests(
    server,
    LIMITS,
    () => how === 'upload',
    () => {
      looks += 1;
      return now;
    },
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  const closed = once(socket, 'close');
  const answer = textOf(socket);
  const arrived = once(server, 'request');
  socket.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${BODY_BYTES}\r\n\r\n`);
  await arrived;
  return {
    socket,
    closed,
    answer,
    /** Sends so much of the body and gives it the time to arrive. */
    send: async (bytes: number) => {
      await new Promise<void>((sent) => void socket.write(Buffer.alloc(bytes), () => sent()));
      await untilLooked();
    },
    pass: async (ms: number) => {
      now += ms;
      await untilLooked();
    },
  };

  /** It has looked at what there is by now. */
  async function untilLooked(): Promise<void> {
    const before = looks;
    await vi.waitFor(() => expect(looks).toBeGreaterThan(before + 2), WAIT);
  }
}

/** What has come so far; complete once it is closed. */
function textOf(socket: Socket): { text: string } {
  const seen = { text: '' };
  socket.on('data', (chunk: Buffer) => {
    seen.text += chunk.toString();
  });
  socket.on('error', () => undefined);
  return seen;
}

const readsAll = (request: IncomingMessage, response: ServerResponse) => {
  request.resume();
  request.once('end', () => response.end('all of it'));
};

describe('a request whose body does not come', () => {
  it('is an upload that takes as long as it likes while it moves', async () => {
    const { send, pass, answer } = await openRequest('upload', readsAll);
    for (let part = 0; part < 10; part++) {
      await send(BODY_BYTES / 10);
      if (part < 9) await pass(LIMITS.uploadSilenceMs - 1);
    }
    await vi.waitFor(() => expect(answer.text).toContain('all of it'), WAIT);
  });

  it('is cut when it is an upload that is silent for too long', async () => {
    const { send, pass, answer, closed } = await openRequest('upload', readsAll);
    await send(1_000);
    await pass(LIMITS.uploadSilenceMs);
    await closed;
    expect(answer.text).toMatch(/^HTTP\/1\.1 408 /);
  });

  it('is not called silent while it is the server that does not read', async () => {
    let request: IncomingMessage | null = null;
    const { send, pass, answer } = await openRequest('upload', (asked, response) => {
      request = asked;
      asked.once('end', () => response.end('all of it'));
    });
    void send(BODY_BYTES);
    await pass(0);
    await pass(10 * LIMITS.uploadSilenceMs);
    await pass(10 * LIMITS.uploadSilenceMs);
    request!.resume();
    await vi.waitFor(() => expect(answer.text).toContain('all of it'), WAIT);
  });

  it('is cut at the end of its time when it is no upload, however it moves', async () => {
    const { send, pass, answer, closed } = await openRequest('other', readsAll);
    await send(10);
    await pass(LIMITS.requestTimeoutMs - 1);
    await send(10);
    expect(answer.text).toBe('');
    await pass(1);
    await closed;
    expect(answer.text).toMatch(/^HTTP\/1\.1 408 /);
  });

  it('is cut when the upload has its answer already and goes on all the same', async () => {
    const { send, pass, answer, closed } = await openRequest('upload', (request, response) => {
      request.resume();
      response.end('no');
    });
    await vi.waitFor(() => expect(answer.text).toContain('no'), WAIT);
    await send(10);
    await pass(LIMITS.uploadSilenceMs - 1);
    await send(10);
    await pass(LIMITS.requestTimeoutMs - LIMITS.uploadSilenceMs + 1);
    await closed;
  });
});

it('the server of a node cuts an upload that is silent, by its media type, and nothing of it is a fault of its own', async () => {
  const { port, log, ask } = await openTestServer({
    limits: { ...serveLimits, uploadSilenceMs: 100, connectionsCheckMs: 20 },
  });
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  const closed = once(socket, 'close');
  textOf(socket);
  const head = ['POST /api/packs HTTP/1.1', 'Host: 127.0.0.1', `Authorization: Bearer ${TOKEN}`];
  const type = [`Content-Type: ${PACK_MEDIA_TYPE}`, 'Content-Length: 1000', '', 'uwf'];
  socket.write([...head, ...type].join('\r\n'));
  await closed;
  expect((await ask('GET', '/api/node')).status).toBe(200);
  expect(log.filter((line) => line.includes('import'))).toEqual([]);
});
