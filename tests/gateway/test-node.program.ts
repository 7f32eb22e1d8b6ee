/*
 * A node without a store, for what a real one would take too long to make: test-node.mjs GATEWAY NAME, the token in
 * UWF_NODE_TOKEN. It answers
 *
 *   GET  /api/big?bytes=n     so many bytes, made as they are read
 *   GET  /api/sent            what the last of these came to: `{bytes, crc32}`
 *   POST /api/packs           `{bytes, crc32}` of the body
 *   ANY  /api/named/<x>?ms=n  after that time: method, path and body of what was asked
 *   GET  /api/events          a snapshot, then the events of every flood
 *   POST /api/flood?events=n  that many events of about a kilobyte
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { threadStatusSchema } from '@uncaged/protocol/api';
import { connectNode, readLinkLimits } from '../../agent-node/src/link/index.js';

const BLOCK_BYTES = 64 * 1024;
const FILLER = 'x'.repeat(800);
const EVENTS_A_CHUNK = 32;

const [, , gateway = '', name = ''] = process.argv;
let sent = { bytes: 0, crc32: 0 };
let lastSeq = 0;
const wakes = new Set<() => void>();

function big(total: number): ReadableStream<Uint8Array> {
  let bytes = 0;
  let sum = 0;
  return new ReadableStream(
    {
      pull(controller) {
        const size = Math.min(BLOCK_BYTES, total - bytes);
        if (size === 0) {
          sent = { bytes, crc32: sum };
          controller.close();
          return;
        }
        const block = Buffer.alloc(size, bytes / BLOCK_BYTES);
        block.writeUInt32LE((bytes / BLOCK_BYTES) >>> 0);
        sum = crc32(block, sum);
        bytes += size;
        controller.enqueue(block);
      },
    },
    { highWaterMark: 0 },
  );
}

async function counted(body: ReadableStream<Uint8Array> | null): Promise<typeof sent> {
  let bytes = 0;
  let sum = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    sum = crc32(chunk, sum);
  }
  return { bytes, crc32: sum };
}

function eventText(seq: number): string {
  const at = new Date().toISOString();
  const data = { seq, type: 'workflow.changed', thread: null, at, data: { filler: FILLER } };
  return `event: ${data.type}\nid: test.${seq}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** Events as they are read, like those of a store: who comes later begins behind those that were before. */
function events(): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const counts = Object.fromEntries(threadStatusSchema.options.map((status) => [status, 0]));
  const snapshot = { seq: lastSeq, counts, threads: [] };
  let next = lastSeq + 1;
  let greeted = false;
  let wake = () => {};
  return new ReadableStream(
    {
      async pull(controller) {
        if (!greeted) {
          greeted = true;
          controller.enqueue(
            encoder.encode(
              `event: snapshot\nid: test.${snapshot.seq}\ndata: ${JSON.stringify(snapshot)}\n\n`,
            ),
          );
          return;
        }
        while (next > lastSeq)
          await new Promise<void>((resolve) => {
            wake = resolve;
            wakes.add(wake);
          });
        let text = '';
        for (let n = 0; n < EVENTS_A_CHUNK && next <= lastSeq; n++) text += eventText(next++);
        controller.enqueue(encoder.encode(text));
      },
      cancel: () => void wakes.delete(wake),
    },
    { highWaterMark: 0 },
  );
}

async function answer(request: Request): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url);
  if (pathname === '/api/big') return new Response(big(Number(searchParams.get('bytes'))));
  if (pathname === '/api/sent') return Response.json(sent);
  if (pathname === '/api/packs') return Response.json(await counted(request.body));
  if (pathname === '/api/events')
    return new Response(events(), { headers: { 'content-type': 'text/event-stream' } });
  if (pathname === '/api/flood') {
    lastSeq += Number(searchParams.get('events'));
    for (const wake of wakes) wake();
    wakes.clear();
    return Response.json({ seq: lastSeq });
  }
  if (pathname.startsWith('/api/named/')) {
    const body = await request.text();
    await sleep(Number(searchParams.get('ms')));
    return Response.json({ node: name, method: request.method, pathname, body });
  }
  const missing = { type: 'about:blank', title: 'Not found', status: 404, code: 'route-not-found' };
  return Response.json(
    { ...missing, detail: `no ${pathname}` },
    { status: 404, headers: { 'content-type': 'application/problem+json' } },
  );
}

const leaving = new AbortController();
process.on('SIGTERM', () => leaving.abort());
await connectNode({
  gateways: [gateway],
  token: process.env.UWF_NODE_TOKEN ?? '',
  name,
  version: '0.0.0',
  labels: {},
  allow: ['read', 'control', 'run', 'publish'],
  app: { fetch: answer },
  onState: (state) => process.stdout.write(`${state.name}\n`),
  log: (tag, text) => process.stderr.write(`[${tag}] ${text}\n`),
  limits: readLinkLimits(process.env),
  signal: leaving.signal,
});
