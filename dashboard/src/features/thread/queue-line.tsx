import type { ThreadDetail } from '@uncaged/protocol/api';
import { useQueueWords } from '../threads/index.js';

/** Why a thread does not run yet and its place among those that wait; nothing when it is not queued. */
export function QueueLine({ node, thread }: { node: string; thread: ThreadDetail }) {
  const words = useQueueWords(node, thread);
  if (words === null) return null;
  return (
    <p role="status" className="text-sm text-muted">
      Queued: {words}.
    </p>
  );
}
