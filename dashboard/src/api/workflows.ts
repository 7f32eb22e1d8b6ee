import {
  createNodeClient,
  type WorkflowDetail,
  type WorkflowEntry,
  type WorkflowHistoryItem,
} from '@uncaged/protocol/api';
import { isProblem } from './failure.js';

export async function listWorkflows(node: string, signal?: AbortSignal): Promise<WorkflowEntry[]> {
  return (await createNodeClient({ node }).listWorkflows({ signal })).items;
}

/** `name`: of a workflow. */
export function getWorkflow(
  node: string,
  name: string,
  signal?: AbortSignal,
): Promise<WorkflowDetail> {
  return createNodeClient({ node }).getWorkflow({ params: { name }, signal });
}

/** Versions of a name, the current one first. */
export async function listVersions(
  node: string,
  name: string,
  signal?: AbortSignal,
): Promise<WorkflowHistoryItem[]> {
  const answer = await createNodeClient({ node }).getWorkflowHistory({ params: { name }, signal });
  return answer.items;
}

/** Makes an earlier version the one that the name stands for. */
export function rollBack(
  node: string,
  name: string,
  hash: string,
): Promise<{ name: string; hash: string; previous: string }> {
  return createNodeClient({ node }).rollbackWorkflow({ params: { name }, body: { hash } });
}

/**
 * The JSON Schema of what a start takes besides the prompt, as the definition of this hash has it; null when it has none, or
 * when the definition is not in the node's store (a built-in that never ran).
 */
export async function getInputsSchema(
  node: string,
  hash: string,
  signal?: AbortSignal,
): Promise<Record<string, unknown> | null> {
  try {
    const { payload } = await createNodeClient({ node }).getCas({ params: { hash }, signal });
    const { inputs } = payload;
    return typeof inputs === 'object' && inputs !== null
      ? (inputs as Record<string, unknown>)
      : null;
  } catch (error) {
    if (isProblem(error, 'node-not-found')) return null;
    throw error;
  }
}
