import type { Log } from '../log.js';

/** Says a failure of a kind (its tag) once: a node that is broken, or hostile, does not fill the log. */
export function logOnce(log: Log): Log {
  const said = new Set<string>();
  return (tag, text) => {
    if (said.has(tag)) return;
    said.add(tag);
    log(tag, text);
  };
}

/** Of something called off by a limit, the limit is the reason. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  return cause instanceof Error ? `${error.message} (${cause.message})` : error.message;
}
