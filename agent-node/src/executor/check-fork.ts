import { isProblem, Problem } from '@uncaged/protocol/problem';
import { createRegexEngine } from '../regex/index.js';
import type { ResolvedWorkflow } from '../registry/index.js';
import type { Store, ThreadRow } from '../store/index.js';
import { checkStartRequest } from './check-request.js';

type Input = {
  source: ThreadRow;
  /** Steps that are kept. */
  keep: number;
  workflow: ResolvedWorkflow;
  agents: Readonly<Record<string, string>>;
};

/**
 * Whether another workflow can go on from these steps: it takes the thread's inputs, has the roles that agents are given for,
 * and its moderator has a way on; roles of kept steps it need not know. Throws invalid-argument, invalid-inputs.
 */
export async function checkForkWorkflow(
  store: Store,
  { source, keep, workflow, agents }: Input,
): Promise<void> {
  const { definition } = workflow;
  if (definition === null) return;
  const { loadThreadContext } = await import('../engine/index.js');
  const context = loadThreadContext(store, source);
  await checkStartRequest(definition, { agents, inputs: context.start.inputs });
  const { createModerator } = await import('@uncaged/protocol/moderator');
  const RegexEngine = createRegexEngine('rule-limit', 'a rule');
  const steps = context.steps.slice(0, keep);
  try {
    await createModerator(definition, { RegexEngine })({ ...context, steps });
  } catch (error) {
    if (!isProblem(error)) throw error;
    const last = steps.at(-1);
    const from = last === undefined ? 'the start' : `step ${keep} (${last.role})`;
    throw new Problem(
      'invalid-argument',
      `workflow ${workflow.name} @ ${workflow.version} cannot go on from ${from} of thread ${source.id}: ${error.message}`,
      { cause: error },
    );
  }
}
