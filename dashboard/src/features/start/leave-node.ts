import { NO_OPTIONS } from './more-options.js';
import type { Draft } from './start-draft.js';

type OfNode = Pick<Draft, 'workflow' | 'typed' | 'json' | 'workspace' | 'options'>;

/**
 * What of a draft is no more when another node is chosen: the workflow with its inputs and agents, and the directory, are those
 * of the node before. The prompt and the limits are the person's own. Where any node could take it nothing belonged to one.
 */
export function leaveNode(draft: Draft, from: string, to: string): Partial<OfNode> {
  if (from === '' || from === to) return {};
  return {
    workflow: '',
    typed: {},
    json: '',
    workspace: null,
    options: { ...draft.options, agents: NO_OPTIONS.agents },
  };
}

/** As `leaveNode`, when another workflow is chosen: inputs and agents are by its fields and roles. */
export function leaveWorkflow(
  draft: Draft,
  to: string,
): Partial<Pick<OfNode, 'typed' | 'json' | 'options'>> {
  if (draft.workflow === '' || draft.workflow === to) return {};
  return { typed: {}, json: '', options: { ...draft.options, agents: NO_OPTIONS.agents } };
}
