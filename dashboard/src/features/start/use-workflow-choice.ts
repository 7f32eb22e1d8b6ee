import { useQueries } from '@tanstack/react-query';
import type { WorkflowEntry } from '@uncaged/protocol/api';
import { keys, listWorkflows } from '../../api/index.js';
import { ASKED_FOR_WORKFLOWS } from '../../limits.js';

export type WorkflowChoice = {
  /** What can be started on at least one of the nodes. */
  names: string[];
  /** One of the nodes that has the chosen workflow; null: none, or it is not known yet. */
  node: string | null;
  /** None of the nodes has it. */
  isMissing: boolean;
  isLoading: boolean;
  /** Of a node that could not say what it has; the others' workflows are there. */
  error: unknown;
};

/** The workflows of nodes that a start may go to. */
export function useWorkflowChoice(nodes: readonly string[], workflow: string): WorkflowChoice {
  const asked = nodes.slice(0, ASKED_FOR_WORKFLOWS);
  const answers = useQueries({
    queries: asked.map((node) => ({
      queryKey: keys.workflows(node),
      queryFn: ({ signal }: { signal: AbortSignal }) => listWorkflows(node, signal),
    })),
  });
  const lists = answers.map(({ data }) => (data ?? []).filter(isGood));
  const at = lists.findIndex((list) => list.some(({ name }) => name === workflow));
  const allKnown = asked.length === nodes.length && answers.every(({ data }) => data !== undefined);
  return {
    names: [...new Set(lists.flatMap((list) => list.map(({ name }) => name)))].sort(),
    node: at === -1 ? null : asked[at]!,
    isMissing: workflow !== '' && nodes.length > 0 && at === -1 && allKnown,
    isLoading: answers.some(({ isLoading }) => isLoading),
    error: answers.find(({ isError, data }) => isError && data === undefined)?.error ?? null,
  };
}

function isGood({ problem }: WorkflowEntry): boolean {
  return !problem;
}
