import type { WorkflowDetail } from '@uncaged/protocol/api';

/** How a role stands in a thread. */
export type RoleState = 'idle' | 'running' | 'done' | 'failed' | 'waiting';

/** An edge that control took; `condition` is null where nothing tells which of several. */
export type TakenEdge = { from: string; to: string; condition: string | null };

/** What a drawing of a workflow is made from. */
export type GraphProps = {
  roles: WorkflowDetail['descriptor']['roles'];
  edges: WorkflowDetail['descriptor']['graph']['edges'];
  /** By role, `__start__` and `__end__` too where they can be chosen; absent: the workflow is shown, not a thread. */
  lit?: Readonly<Record<string, { state: RoleState; visits: number }>> | undefined;
  /** The way that control took, to be marked: each edge once, the one taken last at the end. */
  taken?: readonly TakenEdge[] | undefined;
  selected?: string | null | undefined;
  /** A node was chosen. In a thread only what was visited can be. */
  onSelect?: ((role: string) => void) | undefined;
};
