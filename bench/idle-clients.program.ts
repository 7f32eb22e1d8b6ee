// Connections that do nothing: idle-clients.program.mjs PORT link|bare COUNT PREFIX. Prints a line when all are there.
import { threadStatusSchema } from '@uncaged/protocol/api';
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
/** How a node without threads begins its stream of events. */
const SNAPSHOT = new TextEncoder().encode(
  `event: snapshot\nid: idle.0\ndata: ${JSON.stringify({ seq: 0, counts: countsOfNone(), threads: [] })}\n\n`,
);
const [port, kind, count, prefix] = process.argv.slice(2) as [string, string, string, string];

for (let first = 0; first < Number(count); first += AT_ONCE)
  await Promise.all(Array.from({ length: AT_ONCE }, (_, n) => open(`${prefix}-${first + n}`)));
process.stdout.write('there\n');
process.on('SIGTERM', () => process.exit(0));

/** As an idle node does: its stream of events stays open, and nothing happens. */
async function answer(...[{ path, signal }, respond]: Parameters<RequestHandler>): Promise<void> {
  if (!path.startsWith('/api/events')) {
    respond({ status: 404, headers: [], end: true });
    return;
  }
  const headers: LinkHeaders = [['content-type', 'text/event-stream']];
  await respond({ status: 200, headers, end: false }).write(SNAPSHOT);
  await new Promise<void>((resolve) =>
    signal.addEventListener('abort', () => resolve(), { once: true }),
  );
}

function countsOfNone(): Record<string, number> {
  return Object.fromEntries(threadStatusSchema.options.map((status) => [status, 0]));
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
    onRequest: answer,
    onError: () => undefined,
    onClose: () => undefined,
    onGoaway: () => undefined,
  });
}
