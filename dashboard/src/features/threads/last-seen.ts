import { useQueries } from '@tanstack/react-query';
import type { MachineDetail, PlacedThread } from '@uncaged/protocol/api';
import { getMachine, keys } from '../../api/index.js';
import { placeOf } from '../live/index.js';

type Rows = Record<string, PlacedThread>;

/** The newest threads of nodes that do not answer, as their gateway saw them last, by place. */
export function useLastSeen(nodes: string[]): Rows {
  return useQueries({
    queries: nodes.map((node) => ({
      queryKey: keys.machine(node),
      queryFn: ({ signal }: { signal: AbortSignal }) => getMachine(node, signal),
    })),
    combine: combineRows,
  });
}

/** Outside of the hook: the same answers then give the same object. */
function combineRows(answers: { data: MachineDetail | undefined }[]): Rows {
  return Object.fromEntries(
    answers.flatMap(({ data }) =>
      (data?.threads ?? []).map((thread) => [
        placeOf(data!.name, thread.threadId),
        { ...thread, node: data!.name },
      ]),
    ),
  );
}
