import { z } from 'zod';

/**
 * Something a check has to say of a workflow file. `path` leads to the place in the file (keys and indexes, in the
 * file's own words: `$START`, not `__start__`), so that a reader of YAML can turn it into line and column.
 */
export const findingSchema = z.object({
  /** An error keeps the workflow from being registered or run. */
  severity: z.enum(['error', 'warning']),
  /** Stable, kebab-case. */
  code: z.string(),
  path: z.array(z.union([z.string(), z.number()])),
  /** What is wrong. */
  message: z.string(),
  /** What to do about it. */
  fix: z.string(),
});
export type Finding = z.infer<typeof findingSchema>;

type Path = (string | number)[];

export function errorFinding(code: string, path: Path, message: string, fix: string): Finding {
  return { severity: 'error', code, path, message, fix };
}

export function warningFinding(code: string, path: Path, message: string, fix: string): Finding {
  return { severity: 'warning', code, path, message, fix };
}
