import type { MachineJson } from '@uncaged/protocol/api';

type Machine = Pick<MachineJson, 'name' | 'state' | 'allow' | 'labels'>;

/** Nodes that a start may go to as it is chosen now. */
export function candidatesOf<T extends Machine>(
  machines: readonly T[],
  node: string,
  labels: Readonly<Record<string, string>>,
): T[] {
  const able = machines.filter(({ state, allow }) => state === 'online' && allow.includes('run'));
  if (node !== '') return able.filter(({ name }) => name === node);
  return able.filter((machine) => hasLabels(machine, labels));
}

function hasLabels({ labels }: Machine, wanted: Readonly<Record<string, string>>): boolean {
  return Object.entries(wanted).every(
    ([name, value]) => Object.hasOwn(labels, name) && labels[name] === value,
  );
}

export type Label = { name: string; value: string };

/** Labels to choose from, each once: those of the nodes that take threads at all. */
export function labelsOf(machines: readonly Machine[]): Label[] {
  const all = candidatesOf(machines, '', {}).flatMap(({ labels }) =>
    Object.entries(labels).map(([name, value]) => ({ name, value })),
  );
  const byText = new Map(all.map((label) => [`${label.name}=${label.value}`, label]));
  return [...byText].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, label]) => label);
}
