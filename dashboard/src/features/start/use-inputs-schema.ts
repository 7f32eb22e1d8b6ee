import { useQuery } from '@tanstack/react-query';
import type { WorkflowDetail } from '@uncaged/protocol/api';
import { getInputsSchema, keys } from '../../api/index.js';

/** What a start of this workflow takes besides the prompt; null: nothing is known of it, any JSON is taken. */
export function useInputsSchema(node: string, workflow: WorkflowDetail | undefined) {
  const hash = workflow?.kind === 'definition' ? workflow.hash : null;
  return useQuery({
    queryKey: keys.inputs(node, hash ?? ''),
    queryFn: ({ signal }) => getInputsSchema(node, hash ?? '', signal),
    enabled: hash !== null,
    staleTime: Number.POSITIVE_INFINITY,
  });
}
