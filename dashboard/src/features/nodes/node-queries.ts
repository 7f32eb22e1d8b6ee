import { useQuery } from '@tanstack/react-query';
import type { MachineJson } from '@uncaged/protocol/api';
import { getMachine, keys, listNodes } from '../../api/index.js';

export function useNodes() {
  return useQuery({ queryKey: keys.nodes, queryFn: ({ signal }) => listNodes(signal) });
}

export function useMachine(node: string, enabled = true) {
  return useQuery({
    queryKey: keys.machine(node),
    queryFn: ({ signal }) => getMachine(node, signal),
    enabled,
  });
}

/** The version most of the nodes have, to mark those that have another; null without nodes. */
export function usualVersion(machines: readonly Pick<MachineJson, 'version'>[]): string | null {
  const counts = new Map<string, number>();
  for (const { version } of machines) counts.set(version, (counts.get(version) ?? 0) + 1);
  let usual: string | null = null;
  for (const [version, count] of counts)
    if (usual === null || count > (counts.get(usual) ?? 0)) usual = version;
  return usual;
}
