import type { MachineJson } from '@uncaged/protocol/api';
import { type Directory, type KnownNode, machineJson } from '../directory/index.js';
import type { Links, NodeLink } from '../links/index.js';

type MachineInput = { links: Links; directory: Directory; now: () => number };

/**
 * A node as clients are told of it; null: nobody knows it. Whether there is a link decides between online and offline: the
 * directory may learn of a change a moment after those who are told with it.
 */
export function machineOf(
  { links, directory, now }: MachineInput,
  name: string,
): MachineJson | null {
  const link = links.get(name);
  const known = directory.get(name) ?? (link === null ? null : newcomer(link, now()));
  if (known === null) return null;
  return machineJson(asLinked(known, link, now()), link);
}

function asLinked(known: KnownNode, link: NodeLink | null, since: number): KnownNode {
  if (link !== null && known.state !== 'online') return { ...known, state: 'online', since };
  if (link === null && known.state === 'online') return { ...known, state: 'offline', since };
  return known;
}

function newcomer({ hello }: NodeLink, since: number): KnownNode {
  return { hello, state: 'online', since, gateway: '', seen: null };
}
