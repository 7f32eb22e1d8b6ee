import {
  createNodeClient,
  type WorkflowDetail,
  type WorkflowEntry,
  type WorkflowHistoryItem,
} from '@uncaged/protocol/api';

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
