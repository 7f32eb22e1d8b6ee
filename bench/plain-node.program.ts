// The node's Hono app as a plain HTTP server: plain-node.program.mjs ROOT. Prints its port.
import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import { createNodeApi } from '../agent-node/src/api/index.js';
import { readLimits } from '../agent-node/src/executor/index.js';
import { openStore } from '../agent-node/src/store/index.js';

const ALLOW = ['read', 'run', 'control', 'publish'] as const;
const store = await openStore(process.argv[2]!, { clock: Date.now, busyTimeoutMs: 50 });
const api = await createNodeApi({
  store,
  clock: Date.now,
  executor: { limits: readLimits({}), program: { file: '/nonexistent', env: process.env } },
  node: { name: 'bench', labels: {}, allow: ALLOW },
  authorize: () => ({ role: 'operator', name: 'bench', allow: ALLOW }),
  log: () => undefined,
});
const server = serve(
  { fetch: api.app.fetch, hostname: '127.0.0.1', port: 0 },
  (address: AddressInfo) => process.stdout.write(`${address.port}\n`),
);
process.on('SIGTERM', () => {
  server.close();
  process.exit(0);
});
