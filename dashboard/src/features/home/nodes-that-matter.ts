import type { PlacedThread } from '@uncaged/protocol/api';

const OVER: ReadonlySet<PlacedThread['status']> = new Set(['completed', 'failed', 'cancelled']);

/** Of nodes that are away those on which something ran or waited when they were last seen. */
export function nodesThatMatter(
  nodes: readonly string[],
  lastSeen: readonly Pick<PlacedThread, 'node' | 'status'>[],
): string[] {
  return nodes.filter((name) =>
    lastSeen.some(({ node, status }) => node === name && !OVER.has(status)),
  );
}
