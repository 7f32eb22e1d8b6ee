// A ws server that does nothing. Prints its port.
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';

const server: WebSocketServer = new WebSocketServer(
  { host: '127.0.0.1', port: 0, perMessageDeflate: false },
  () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`),
);
server.on('connection', (socket) => socket.on('message', () => undefined));
process.on('SIGTERM', () => process.exit(0));
