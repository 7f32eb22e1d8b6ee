import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { show, type ThreadJson } from './threads.js';
import { until } from './until.js';
import type { Machine } from './uwf.js';

/** Section `config` of the machine's workflow.yaml, as JSON. */
export function configure(machine: Machine, config: Record<string, unknown>): void {
  mkdirSync(machine.root, { recursive: true });
  writeFileSync(
    join(machine.root, 'workflow.yaml'),
    `config: ${JSON.stringify(config)}\nworkflows: {}\n`,
  );
}

/** A role: a script, or an agent of this name. */
type RoleSketch = { run: string } | { agent: string; [field: string]: unknown };

/** A workflow of roles one after the other, found by its name from the machine's directory. Each may end as it likes. */
export function projectWorkflow(
  machine: Machine,
  name: string,
  roles: Record<string, RoleSketch>,
  more: Record<string, unknown> = {},
): string {
  const names = Object.keys(roles);
  const graph: Record<string, unknown> = {
    $START: { _: { role: names[0], prompt: '{{{prompt}}}' } },
  };
  for (const [at, role] of names.entries()) {
    const next = names[at + 1] ?? '$END';
    graph[role] = { _: { role: next, prompt: next === '$END' ? `${name} is done` : `do ${next}` } };
  }
  const directory = join(machine.cwd, '.workflows');
  mkdirSync(directory, { recursive: true });
  const described = Object.fromEntries(
    Object.entries(roles).map(([role, fields]) => [role, { description: role, ...fields }]),
  );
  const text = JSON.stringify({ name, roles: described, graph, ...more });
  writeFileSync(join(directory, `${name}.yaml`), text);
  return name;
}

export const nests = (workflow: string) => ({ kind: 'workflow', workflow });

/** The nested thread that a step has by now. */
export function untilChild(machine: Machine, id: string, seq: number): Promise<string> {
  return until(`step ${seq} of ${id} has a nested thread`, async () => {
    const steps = (await show(machine, id)).steps.filter((step) => step.seq === seq);
    return steps.at(-1)?.childThread;
  });
}

export const attemptsOf = ({ steps }: ThreadJson) =>
  steps.map(({ seq, attempt, status }) => [seq, attempt, status]);
