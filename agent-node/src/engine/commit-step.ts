import { Problem } from '@uncaged/protocol/problem';
import type { RoleOutput } from '@uncaged/protocol/workflow';
import type { ThreadRow } from '../store/index.js';
import type { EngineHost } from './host.js';
import type { GrowingContext } from './thread-context.js';
import type { PendingStep } from './work.js';

type CommitInput = {
  host: EngineHost;
  thread: ThreadRow;
  context: GrowingContext;
  output: RoleOutput;
  /** What `runRole` made last; null when workflow code used an adapter of its own. */
  pending: PendingStep | null;
};

/** Content, trace, state node, new head and event in one durable transaction; then the context grows by the step. */
export async function commitStep({
  host,
  thread,
  context,
  output,
  pending,
}: CommitInput): Promise<void> {
  const step = pending ?? (await startForeignStep(host, thread, context, output));
  const matches = pending === null || pending.role === output.role;
  if (!matches)
    throw new Problem(
      'bundle-failed',
      `the workflow yielded role ${output.role} after running ${step.role}`,
    );
  const timestamp = Math.max(host.clock(), step.startedAt);
  const state = {
    role: output.role,
    content: output.contentHash,
    meta: output.meta,
    compact: null,
    childThread: output.childThread ?? null,
    agent: step.agent,
    session: step.session,
    usage: step.usage,
    startedAt: step.startedAt,
    timestamp,
  };
  const hash = await host.store.enqueue('full', () => {
    for (const prepared of step.prepared) prepared.put();
    if (!host.store.nodes.has(output.contentHash))
      throw new Problem(
        'bundle-failed',
        `the workflow yielded content ${output.contentHash}, which is not stored`,
      );
    return host.store.steps.commit({
      ...step.key,
      fence: thread.fence,
      state,
      casRefs: output.refs.filter((ref) => ref !== output.contentHash),
      usage: step.usage,
      usd: 0,
    });
  });
  context.steps.push({
    role: output.role,
    attempt: step.key.attempt,
    hash,
    contentHash: output.contentHash,
    meta: output.meta,
    refs: output.refs,
    childThread: state.childThread,
    timestamp,
  });
}

/** A step of a workflow's own adapter: the engine hears of it when it is through. */
async function startForeignStep(
  host: EngineHost,
  thread: ThreadRow,
  context: GrowingContext,
  output: RoleOutput,
): Promise<PendingStep> {
  const seq = context.steps.length + 1;
  const startedAt = context.steps.at(-1)?.timestamp ?? thread.startedAt ?? host.clock();
  const attempt = host.store.steps.attempts(thread.id, seq) + 1;
  const key = { thread: thread.id, seq, attempt };
  await host.store.enqueue('normal', () =>
    host.store.steps.start({
      ...key,
      fence: thread.fence,
      role: output.role,
      agent: 'adapter',
      startedAt,
    }),
  );
  return {
    key,
    role: output.role,
    agent: 'adapter',
    startedAt,
    prepared: [],
    session: null,
    usage: null,
    outcome: null,
  };
}
