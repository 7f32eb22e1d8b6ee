import type { ValueFault } from '@uncaged/protocol/workflow';

/** What is wrong at a place of workflow.yaml; `message` goes on behind its path and says what to do. */
export type ConfigError = { path: (string | number)[]; message: string };

/** Faults of a value that stands at `path`. */
export function within(
  path: readonly (string | number)[],
  faults: readonly ValueFault[],
): ConfigError[] {
  return faults.map((fault) => ({
    path: [...path, ...fault.path],
    message: `${fault.message} ${fault.fix}`.trimEnd(),
  }));
}
