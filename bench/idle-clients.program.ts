// Connections that do nothing: idle-clients.program.mjs PORT link|bare COUNT PREFIX. Prints a line when all are there.
import { type NodeJson, threadStatusSchema } from '@uncaged/protocol/api';
import {
  connectLink,
  createSocketTransport,
  createSystemClock,
  LINK_LIMITS,
  LINK_SUBPROTOCOL,
  type LinkHeaders,
  type RequestHandler,
} from '@uncaged/protocol/link';
import { WebSocket } from 'ws';
import { KEY } from './key.js';

const AT_ONCE = 20;
/** How a node without threads begins its stream of events, and what else a gateway asks of it. */
const SNAPSHOT = `event: snapshot\nid: idle.0\ndata: ${JSON.stringify({ seq: 0, counts: countsOfNone(), threads: [] })}\n\n`;
const THREADS = JSON.stringify({ items: [], nextCursor: null });
const [port, kind, count, prefix] = process.argv.slice(2) as [string, string, string, string];

for (let first = 0; first < Number(count); first += AT_ONCE)
  await Promise.all(Array.from({ length: AT_ONCE }, (_, n) => open(`${prefix}-${first + n}`)));
process.stdout.write('there\n');
process.on('SIGTERM', () => process.exit(0));

/** As an idle node does: it says how it stands, its stream of events stays open, and nothing happens. */
async function answer(
  name: string,
  ...[{ path, signal }, respond]: Parameters<RequestHandler>
): Promise<void> {
  const isStream = path.startsWith('/api/events');
  const type = isStream ? 'text/event-stream' : 'application/json';
  const text = isStream ? SNAPSHOT : path === '/api/node' ? nodeOf(name) : THREADS;
  const headers: LinkHeaders = [['content-type', type]];
  const body = respond({ status: 200, headers, end: false });
  await body.write(new TextEncoder().encode(text));
  if (isStream)
    await new Promise<void>((resolve) =>
      signal.addEventListener('abort', () => resolve(), { once: true }),
    );
  else body.end();
}

function nodeOf(name: string): string {
  const node: NodeJson = {
    name,
    version: '0',
    labels: {},
    allow: ['read'],
    limits: { threads: 4, bodyBytes: 1, pageEntries: 1 },
    workspaceRoots: [],
    counts: countsOfNone(),
    disk: { storeBytes: 0 },
  };
  return JSON.stringify(node);
}

function countsOfNone(): NodeJson['counts'] {
  const none = threadStatusSchema.options.map((status) => [status, 0]);
  return Object.fromEntries(none) as NodeJson['counts'];
}

function open(name: string): Promise<unknown> {
  const socket =
    kind === 'link'
      ? new WebSocket(`ws://127.0.0.1:${port}/connect`, LINK_SUBPROTOCOL, {
          headers: { authorization: `Bearer ${KEY}` },
          perMessageDeflate: false,
        })
      : new WebSocket(`ws://127.0.0.1:${port}/`, { perMessageDeflate: false });
  const opened = new Promise<void>((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  if (kind === 'bare') return opened;
  const transport = new Promise<ReturnType<typeof createSocketTransport>>((resolve, reject) => {
    let transport: ReturnType<typeof createSocketTransport>;
    socket.once('upgrade', (response) => {
      transport = createSocketTransport(socket, response.socket);
    });
    socket.once('open', () => resolve(transport));
    socket.once('error', reject);
  });
  return connectLink({
    transport,
    clock: createSystemClock(),
    limits: LINK_LIMITS,
    hello: { node: name, instance: name, version: '0', labels: {}, allow: ['read'] },
    onRequest: (request, respond) => answer(name, request, respond),
    onError: () => undefined,
    onClose: () => undefined,
    onGoaway: () => undefined,
  });
}
