import { connect, type Socket } from 'node:net';

const HEAD_END = Buffer.from('\r\n\r\n');
const MS_PER_SECOND = 1000;

/** What is asked for, again and again. */
export type Target = { port: number; path: string; headers: Readonly<Record<string, string>> };

/**
 * Asks over `connections` sockets, each one request after the other, for so long; returns requests per second. A client that
 * does next to nothing: on two cores a real one would be what is measured.
 */
export async function requestsPerSecond(
  target: Target,
  connections: number,
  durationMs: number,
): Promise<number> {
  const clients = await Promise.all(Array.from({ length: connections }, () => openClient(target)));
  const started = performance.now();
  let count = 0;
  await Promise.all(
    clients.map(async (client) => {
      while (performance.now() - started < durationMs) {
        await client.ask();
        count += 1;
      }
    }),
  );
  const seconds = (performance.now() - started) / MS_PER_SECOND;
  for (const client of clients) client.close();
  return count / seconds;
}

/** Asks `rate` times a second, whatever the answers do, for so long; returns the time of each from when it was due, ms. */
export async function latencies(
  target: Target,
  rate: number,
  durationMs: number,
  connections: number,
): Promise<number[]> {
  const clients = await Promise.all(Array.from({ length: connections }, () => openClient(target)));
  const free = [...clients];
  const waiting: number[] = [];
  const samples: number[] = [];
  const asks: Promise<void>[] = [];
  const dispatch = () => {
    while (free.length > 0 && waiting.length > 0) {
      const client = free.pop()!;
      const due = waiting.shift()!;
      asks.push(
        client.ask().then(() => {
          samples.push(performance.now() - due);
          free.push(client);
          dispatch();
        }),
      );
    }
  };
  const started = performance.now();
  const total = Math.floor((rate * durationMs) / MS_PER_SECOND);
  await new Promise<void>((resolve) => {
    let sent = 0;
    const tick = () => {
      const now = performance.now();
      while (sent < total && started + (sent * MS_PER_SECOND) / rate <= now) {
        waiting.push(started + (sent * MS_PER_SECOND) / rate);
        sent += 1;
      }
      dispatch();
      if (sent < total) setImmediate(tick);
      else resolve();
    };
    tick();
  });
  while (samples.length < total) await Promise.race([Promise.all(asks), nextTurn()]);
  for (const client of clients) client.close();
  return samples;
}

export function percentileOf(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

type Client = { ask: () => Promise<void>; close: () => void };

async function openClient({ port, path, headers }: Target): Promise<Client> {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const request = Buffer.from(
    `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n${lines.join('')}\r\n`,
  );
  const socket: Socket = connect(port, '127.0.0.1');
  socket.setNoDelay(true);
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', reject);
  });
  let received = Buffer.alloc(0);
  let expected: number | null = null;
  let settle: { resolve: () => void; reject: (error: Error) => void } | null = null;
  const fail = (error: Error) => settle?.reject(error);
  socket.on('error', fail);
  socket.on('close', () => fail(new Error('the server closed the connection')));
  socket.on('data', (chunk) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    expected ??= lengthOf(received);
    if (expected === null || received.length < expected) return;
    received = Buffer.alloc(0);
    expected = null;
    settle?.resolve();
  });
  return {
    ask: () =>
      new Promise<void>((resolve, reject) => {
        settle = { resolve, reject };
        socket.write(request);
      }),
    close: () => socket.destroy(),
  };
}

/** Bytes of head and body together; null until the head is here. Throws for anything but a 200 of known or chunked length. */
function lengthOf(received: Buffer): number | null {
  const end = received.indexOf(HEAD_END);
  if (end < 0) return null;
  const head = received.subarray(0, end).toString('latin1').toLowerCase();
  if (!head.startsWith('http/1.1 200')) throw new Error(`answered with ${head.split('\r\n')[0]}`);
  const length = /\r\ncontent-length: (\d+)/.exec(head)?.[1];
  if (length !== undefined) return end + HEAD_END.length + Number(length);
  // Chunked: small answers end with the empty chunk.
  const last = received.indexOf('\r\n0\r\n\r\n', end);
  return last < 0 ? null : last + '\r\n0\r\n\r\n'.length;
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
