import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { serve } from '@hono/node-server';
import { describe, expect, it, onTestFinished } from 'vitest';
import { addThread, openTestApi, readEvents, type TestApi } from './test-api.js';

async function serveTestApi(test: TestApi): Promise<{ url: string; port: number }> {
  const server = serve({ fetch: test.api.app.fetch, port: 0, hostname: '127.0.0.1' });
  if (!server.listening) await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    (server as { closeAllConnections?: () => void }).closeAllConnections?.();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, port };
}

/** A request as no client library would write it; the whole answer. */
async function raw(port: number, text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  const answer: Buffer[] = [];
  socket.on('data', (chunk) => answer.push(chunk));
  socket.write(text);
  await once(socket, 'close');
  return Buffer.concat(answer).toString();
}

async function untilNobodyFollows({ api }: TestApi): Promise<void> {
  const deadline = performance.now() + 10_000;
  while (api.followers() > 0) {
    if (performance.now() > deadline) throw new Error(`${api.followers()} still follow`);
    await sleep(5);
  }
}

describe('the API behind an HTTP server', () => {
  it('sees paths as they stood in the request line', async () => {
    const { port } = await serveTestApi(await openTestApi());
    const get = (path: string) =>
      raw(port, `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`);
    expect(await get('/api/node')).toMatch(/^HTTP\/1.1 200 /);
    for (const path of [
      '/api/x/../node',
      '/api/%2e%2e/api/node',
      '/api/threads/..%2f..',
      '/api/node%00',
    ])
      expect(`${path} ${(await get(path)).slice(0, 13)}`).toBe(`${path} HTTP/1.1 400 `);
  });

  it('sends events as they come, and forgets who hung up', async () => {
    const test = await openTestApi();
    const { url } = await serveTestApi(test);
    const id = addThread(test.store);
    for (let count = 0; count < 20; count++) {
      const abort = new AbortController();
      const response = await fetch(`${url}/api/threads/${id}/events`, { signal: abort.signal });
      const events = readEvents(response);
      expect(await events.next()).toMatchObject({ event: 'thread.queued' });
      expect(test.api.followers()).toBeGreaterThan(0);
      abort.abort();
    }
    await untilNobodyFollows(test);
  });

  it('refuses a huge body without taking it in', async () => {
    const { url } = await serveTestApi(await openTestApi({ limits: { bodyMaxBytes: 100_000 } }));
    const before = process.memoryUsage().rss;
    let sent = 0;
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        sent += 65_536;
        if (sent > 1024 ** 3) controller.close();
        else controller.enqueue(new Uint8Array(65_536).fill(0x20));
      },
    });
    const answer = await fetch(`${url}/api/cas`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
      duplex: 'half',
    } as RequestInit).then(
      (response) => response.status,
      // The server hung up while we were still sending.
      () => 413,
    );
    expect(answer).toBe(413);
    expect(sent).toBeLessThan(64 * 1024 * 1024);
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024);
  });
});
