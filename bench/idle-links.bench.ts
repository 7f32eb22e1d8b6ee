import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Bench, Measured } from './measure.js';
import { endAll, residentBytes, type Started, start, startGateway } from './programs.js';

const LINKS = 2_000;
const KIB = 1024;
const here = (name: string) => fileURLToPath(new URL(`./${name}`, import.meta.url));

/** Memory that a server needs for each of so many sockets that do nothing, KiB. */
async function perLink(server: Started, port: string, kind: 'link' | 'bare'): Promise<Measured> {
  const children = [server.child];
  try {
    const pid = server.child.pid!;
    // The first connections bring code and pools in; they are not counted.
    const warm = await start(
      [here('idle-clients.program.mjs'), port, kind, '50', 'warm'],
      process.env,
    );
    children.unshift(warm.child);
    const before = residentBytes(pid);
    const clients = await start(
      [here('idle-clients.program.mjs'), port, kind, String(LINKS), 'idle'],
      process.env,
    );
    children.unshift(clients.child);
    await settled(pid);
    return { samples: [(residentBytes(pid) - before) / KIB / LINKS] };
  } finally {
    await endAll(children);
  }
}

/** Until the memory of the process stands still for a while. */
async function settled(pid: number): Promise<void> {
  let last = -1;
  for (;;) {
    const now = residentBytes(pid);
    if (now === last) return;
    last = now;
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
}

export const benches: Bench[] = [
  {
    id: 'P6',
    what: `memory of a gateway per idle link, at ${LINKS} links`,
    unit: 'KiB',
    target: { atMost: 1.5 },
    baseline: {
      what: 'a bare ws server with as many idle sockets',
      run: async () => {
        const server = await start([here('bare-ws.program.mjs')], process.env);
        return perLink(server, server.said, 'bare');
      },
    },
    subject: async (folder) => {
      const gateway = await startGateway(join(folder, 'gateway'));
      return perLink(gateway, new URL(gateway.said).port, 'link');
    },
    notMeasured: 'TLS; what is kept of the threads of a node (these have none)',
  },
];
