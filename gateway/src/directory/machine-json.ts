import { type MachineDetail, type MachineJson, toTime, toTimeOrNull } from '@uncaged/protocol/api';
import type { KnownNode } from './types.js';

/** What of a link is told. */
type Pinged = { readonly mux: { rttMs(): number | null } };

/** A node as the API tells of it; `link` is the one to it now, null when there is none. */
export function machineJson(
  { hello, state, since, gateway }: KnownNode,
  link: Pinged | null,
): MachineJson {
  const { node: name, version, labels, allow } = hello;
  const rttMs = link?.mux.rttMs() ?? null;
  return { name, state, since: toTime(since), version, labels, allow, gateway, rttMs };
}

/** With what was last seen of it. */
export function machineDetail(known: KnownNode, link: Pinged | null): MachineDetail {
  const { seen } = known;
  return {
    ...machineJson(known, link),
    node: seen?.node ?? null,
    threads: seen?.threads ?? [],
    seenAt: toTimeOrNull(seen?.at ?? null),
  };
}
