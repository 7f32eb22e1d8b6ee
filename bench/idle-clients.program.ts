// Connections that do nothing: idle-clients.program.mjs PORT link|bare COUNT PREFIX. Prints a line when all are there.
import {
  connectLink,
  createSocketTransport,
  createSystemClock,
  LINK_LIMITS,
  LINK_SUBPROTOCOL,
} from '@uncaged/protocol/link';
import { WebSocket } from 'ws';
import { KEY } from './key.js';

const AT_ONCE = 20;
const [port, kind, count, prefix] = process.argv.slice(2) as [string, string, string, string];

for (let first = 0; first < Number(count); first += AT_ONCE)
  await Promise.all(Array.from({ length: AT_ONCE }, (_, n) => open(`${prefix}-${first + n}`)));
process.stdout.write('there\n');
process.on('SIGTERM', () => process.exit(0));

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
    onRequest: async (_, respond) => void respond({ status: 404, headers: [], end: true }),
    onError: () => undefined,
    onClose: () => undefined,
    onGoaway: () => undefined,
  });
}
