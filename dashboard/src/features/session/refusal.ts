import type { MachineJson, SessionJson } from '@uncaged/protocol/api';

/** What is asked of a node, besides reading. */
export type Right = 'control' | 'run' | 'publish';

const WORDS: Record<Right, string> = {
  control: 'control threads',
  run: 'start threads',
  publish: 'change workflows',
};

/** Why somebody may not do something on a node; null: they may. `machine` null: on any node. */
export function refusalOf(
  session: SessionJson | null,
  machine: Pick<MachineJson, 'name' | 'state' | 'allow'> | null,
  right: Right,
): string | null {
  if (session === null) return 'You are not logged in.';
  if (session.role === 'viewer')
    return `You are logged in as a viewer (${session.name}): viewers watch, operators ${WORDS[right]}.`;
  if (machine === null) return null;
  if (machine.state !== 'online') return `${machine.name} is not connected now.`;
  if (!machine.allow.includes(right))
    return `${machine.name} does not let anybody ${WORDS[right]} from here (its --allow has no "${right}").`;
  return null;
}
