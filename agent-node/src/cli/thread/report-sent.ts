import { getThread } from '../../executor/index.js';
import type { StoreCommandInput } from '../run-command.js';

/** Says that a thread was told something: `text`, or with `--json` how it stands now. Throws thread-not-found. */
export function reportSent(
  { store, out, json }: StoreCommandInput,
  id: string,
  text: string,
): void {
  const row = getThread(store, id);
  if (json) out.json({ id, status: row.status, desired: row.desired });
  else out.line(text);
}
