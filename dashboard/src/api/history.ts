import {
  createNodeClient,
  type ForkThread,
  type Lineage,
  type StepDetail,
  type ThreadDiff,
} from '@uncaged/protocol/api';

/** What is not given is as in the thread that is forked. */
export type Fork = Partial<ForkThread>;

/** `key`: the same fork again is the same thread. */
export async function forkThread(
  node: string,
  id: string,
  fork: Fork,
  key: string,
): Promise<{ threadId: string }> {
  return createNodeClient({ node }).forkThread({
    params: { id },
    body: fork,
    headers: { 'idempotency-key': key },
  });
}

export function getLineage(node: string, id: string, signal?: AbortSignal): Promise<Lineage> {
  return createNodeClient({ node }).getLineage({ params: { id }, signal });
}

export function getDiff(
  node: string,
  id: string,
  other: string,
  signal?: AbortSignal,
): Promise<ThreadDiff> {
  return createNodeClient({ node }).diffThreads({ params: { id, other }, signal });
}

/** A step with what its agent did. `hash`: of its state. */
export function getStepDetail(
  node: string,
  hash: string,
  signal?: AbortSignal,
): Promise<StepDetail> {
  return createNodeClient({ node }).getStep({ params: { hash }, signal });
}

/** The whole of a stored text; null when what is stored there is none. */
export async function getText(
  node: string,
  hash: string,
  signal?: AbortSignal,
): Promise<string | null> {
  const { payload } = await createNodeClient({ node }).getCas({ params: { hash }, signal });
  return typeof payload.text === 'string' ? payload.text : null;
}
