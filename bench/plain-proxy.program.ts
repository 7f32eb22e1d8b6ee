// A reverse proxy as one would write it with Node alone: plain-proxy.program.mjs PORT-OF-THE-APP. Prints its port.
import { Agent, request as ask, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const port = Number(process.argv[2]);
const agent = new Agent({ keepAlive: true });
const server = createServer((request, response) => {
  const { method, url: path, headers } = request;
  const upstream = ask({ host: '127.0.0.1', port, method, path, headers, agent }, (answer) => {
    response.writeHead(answer.statusCode!, answer.headers);
    answer.pipe(response);
  });
  upstream.on('error', () => response.destroy());
  response.on('close', () => upstream.destroy());
  request.pipe(upstream);
});
server.listen(0, '127.0.0.1', () =>
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`),
);
process.on('SIGTERM', () => process.exit(0));
