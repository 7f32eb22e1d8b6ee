import { useLive } from '../live/index.js';
import { type Right, refusalOf } from './refusal.js';
import { useSession } from './session-query.js';

/** Why the person may not do something on a node now; null: they may. Node null: on any. */
export function useRefusal(node: string | null, right: Right): string | null {
  const session = useSession();
  const machine = useLive(({ nodes }) => (node === null ? undefined : nodes[node]?.machine));
  return refusalOf(session, machine ?? null, right);
}
