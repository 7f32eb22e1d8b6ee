import type { ThreadDetail } from '@uncaged/protocol/api';
import { isBelowRoots } from '../start/index.js';

/**
 * Why a fork of a thread takes no other prompt, workflow or agent from here: it would do something new in a directory where
 * nobody may start anything from here. Null: it may, or `roots` are not known yet. A copy from a pack gets a new directory.
 */
export function placeRefusal(
  {
    threadId,
    workspace,
    workspaceMade,
    imported,
  }: Pick<ThreadDetail, 'threadId' | 'workspace' | 'workspaceMade' | 'imported'>,
  node: string,
  roots: readonly string[] | null,
): string | null {
  if (imported || workspaceMade || roots === null || isBelowRoots(workspace, roots)) return null;
  return `The thread works in ${workspace}, which is not below a directory of workspaceRoots (in the workflow.yaml of ${node}). From here it can only be forked with the prompt, the workflow and the agents that it has; "uwf thread fork ${threadId}" on ${node} takes others.`;
}

/** What a fork is asked to do; an empty text is as in the thread. */
type Asked = { prompt: string; version: string; agents: Readonly<Record<string, string>> };

/** Whether a fork would do anything that its thread was not asked for, as the node decides it. Limits only say how much. */
export function isNewWork(
  { version: own, options }: Pick<ThreadDetail, 'version' | 'options'>,
  { prompt, version, agents }: Asked,
): boolean {
  const isOther = ([role, agent]: [string, string]) =>
    agent.trim() !== '' && (!Object.hasOwn(options.agents, role) || options.agents[role] !== agent);
  return (
    prompt.trim() !== '' ||
    (version !== '' && version !== own) ||
    Object.entries(agents).some(isOther)
  );
}
