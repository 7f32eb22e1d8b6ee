import { statSync } from 'node:fs';
import { join } from 'node:path';
import { routes } from '@uncaged/protocol/api';
import { PAGE_MAX } from '@uncaged/protocol/limits';
import { isProblem } from '@uncaged/protocol/problem';
import { VERSION } from '../executor/index.js';
import { configOf, type NodeConfig, type RegistryReader } from '../registry/index.js';
import type { ApiContext } from './context.js';
import type { Mount } from './mount.js';
import { realPaths } from './workspace.js';

const STORE_FILES = ['store.db', 'store.db-wal', 'store.db-shm'];

export function mountNode(
  mount: Mount,
  { store, registry, node, limits, recover }: ApiContext,
): void {
  mount(routes.getNode, async () => {
    await recover();
    const config = await readConfigIfGood(registry);
    return {
      name: node.name,
      version: VERSION,
      labels: { ...node.labels },
      allow: [...node.allow],
      limits: {
        threads: config?.concurrency.node ?? null,
        bodyBytes: limits.bodyMaxBytes,
        pageEntries: PAGE_MAX,
      },
      workspaceRoots: realPaths(config?.workspaceRoots ?? []),
      counts: store.threads.countByStatus(),
      disk: { storeBytes: bytesOf(store.root) },
    };
  });
}

/** A mistake in workflow.yaml is no reason not to show the node. */
async function readConfigIfGood(registry: RegistryReader): Promise<NodeConfig | null> {
  try {
    return configOf(await registry());
  } catch (error) {
    if (isProblem(error, 'invalid-config')) return null;
    throw error;
  }
}

function bytesOf(root: string): number {
  return STORE_FILES.map(
    (name) => statSync(join(root, name), { throwIfNoEntry: false })?.size ?? 0,
  ).reduce((sum, size) => sum + size, 0);
}
