import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A definition file in `directory`; returns its path. */
export function writeWorkflow(directory: string, name: string, yaml: string): string {
  const path = join(directory, `${name}.yaml`);
  writeFileSync(path, yaml);
  return path;
}

/** One role that runs `script` and ends with `ok`; `failed` has no edge. */
export function oneScript(name: string, script: string): string {
  return JSON.stringify({
    name,
    roles: { work: { description: 'runs the script', run: script } },
    graph: {
      $START: { _: { role: 'work', prompt: 'work' } },
      work: { ok: { role: '$END', prompt: 'ended' } },
    },
  });
}

/**
 * A chain of `length` scripts named s1…, each given its number. Every step appends its number and the attempt's pid to
 * `$UWF_TEST_TRACE`, so that a test sees how often it really ran.
 */
export function chain(name: string, length: number, script: (n: number) => string): string {
  const roles: Record<string, unknown> = {};
  const graph: Record<string, unknown> = { $START: { _: { role: 's1', prompt: '1' } } };
  for (let n = 1; n <= length; n++) {
    roles[`s${n}`] = { description: `step ${n}`, run: script(n) };
    const next = n === length ? '$END' : `s${n + 1}`;
    graph[`s${n}`] = { ok: { role: next, prompt: n === length ? 'all done' : String(n + 1) } };
  }
  return JSON.stringify({ name, roles, graph });
}
