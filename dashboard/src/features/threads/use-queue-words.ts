import { useQuery } from '@tanstack/react-query';
import type { ThreadSummary } from '@uncaged/protocol/api';
import { getThread, keys } from '../../api/index.js';
import { useMachine } from '../nodes/index.js';
import { type QueuePlace, queueWords } from './queue-words.js';

/**
 * Why a thread does not run yet and its place in the queue, kept new while others come to their turn; null: it is not queued,
 * or not known yet. Asked for only while `enabled`.
 */
export function useQueueWords(
  node: string,
  {
    threadId,
    status,
    queue,
  }: Pick<ThreadSummary, 'threadId' | 'status'> & { queue?: QueuePlace | null },
  enabled = true,
): string | null {
  const isAsked = enabled && status === 'queued';
  const place = useQuery({
    queryKey: keys.queuePlace(node, threadId),
    queryFn: async ({ signal }) => (await getThread(node, threadId, signal)).queue,
    enabled: isAsked,
    ...(queue && { placeholderData: queue }),
  });
  const machine = useMachine(node, isAsked);
  if (!isAsked || !place.data) return null;
  const said = machine.data?.node ?? null;
  return queueWords(place.data, {
    name: node,
    queued: said?.counts.queued ?? null,
    atOnce: said?.limits.threads ?? null,
  });
}
