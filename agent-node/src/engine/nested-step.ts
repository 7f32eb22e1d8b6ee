import type { ThreadId } from '@uncaged/protocol/ids';
import { Problem } from '@uncaged/protocol/problem';
import type { NestedWorkflow } from '../agents/index.js';
import { isOver, type ThreadRow } from '../store/index.js';
import { createDeadline } from './deadline.js';
import { NESTED_LOOK_MS, NESTED_RESUMES_MAX } from './limits.js';
import { nestedAnswer } from './nested-answer.js';
import { PauseThread } from './stop.js';
import { nextChangeWithin } from './wait.js';
import type { StepWork } from './work.js';

type NestedResult = ReturnType<typeof nestedAnswer> & { childThread: ThreadId };

/**
 * One attempt at a step that another workflow carries out: takes up the nested thread of an earlier attempt or starts one,
 * waits for its end, and answers with that. A finished one is never run again. Throws child-failed, child-cancelled,
 * max-depth; timeout after it has ended the nested thread; PauseThread when that paused.
 */
export async function runNestedStep(
  input: StepWork,
  nested: NestedWorkflow,
): Promise<NestedResult> {
  const { host, workflow, request, control } = input;
  const { role, schema } = request;
  const timeoutMs = workflow.definition?.roles[role]?.timeout ?? null;
  const deadline = createDeadline(control.signal, timeoutMs, `role ${role}`);
  try {
    const id = await takeUp(input, nested);
    const child = await untilRest(input, id, deadline.signal);
    if (child.status !== 'completed') throw failureOf(role, child);
    const { store, validator } = host;
    const answer = nestedAnswer({ store, workflow, role, schema, validator, child });
    return { ...answer, childThread: id };
  } finally {
    deadline.clear();
  }
}

/**
 * The thread that this attempt waits for, named in its row. What became of the one of an attempt before counts, unless that
 * attempt has told it already: then it is tried again, in the same thread as long as that is not over.
 */
async function takeUp(input: StepWork, nested: NestedWorkflow): Promise<ThreadId> {
  const { host, thread, key, context } = input;
  const { store } = host;
  const earlier = store.steps.lastChild(key.thread, key.seq);
  const child = earlier?.childThread == null ? null : store.threads.get(earlier.childThread);
  if (earlier !== null && child !== null) {
    const isTold = earlier.status === 'failed';
    const isFresh = !isOver(child) && !isOther(nested, child);
    if (child.status === 'completed' || isFresh || (isOver(child) && !isTold)) {
      await store.enqueue('normal', () =>
        store.steps.setChild({ ...key, fence: thread.fence }, child.id),
      );
      if (isTold && child.status === 'failed') host.nested.goOn(child.id, { retry: true });
      return child.id;
    }
    if (!isOver(child)) await host.nested.end(child.id);
  }
  const { task = '' } = input.request;
  return host.nested.start({
    parent: thread,
    key,
    workflow: nested,
    prompt: task.trim() === '' ? context.start.content : task,
    parentState: context.steps.at(-1)?.hash ?? null,
  });
}

/** The configuration names another workflow by now. Of a path or a version the name does not tell. */
function isOther({ workflow }: NestedWorkflow, child: ThreadRow): boolean {
  return /^[a-z0-9-]+$/.test(workflow) && child.workflow !== workflow;
}

/** Resolves when the nested thread is over, or failed. The parent's kill and its deadline end it, a pause is passed on. */
async function untilRest(input: StepWork, id: ThreadId, signal: AbortSignal): Promise<ThreadRow> {
  const { host, thread, control } = input;
  const { store, nested } = host;
  let passedOn = false;
  let resumes = 0;
  for (;;) {
    const [desired, child] = store.read(
      () => [store.threads.get(thread.id)?.desired, store.threads.get(id)] as const,
    );
    if (signal.aborted) await abandon(input, id, signal);
    if (child === null)
      throw new Problem(
        'child-cancelled',
        `nested thread ${id} was removed while it was waited for`,
      );
    switch (child.status) {
      case 'completed':
      case 'failed':
      case 'cancelled':
        // Both were told to end: that this one is over says nothing then. The signal is on its way.
        if (desired !== 'kill') return child;
        break;
      case 'paused':
        if (nested.pauseWith(thread.id, id)) throw new PauseThread(child.reason ?? 'user');
        break;
      case 'interrupted':
        if (child.desired === 'pause') {
          if (nested.pauseWith(thread.id, id)) throw new PauseThread('user');
        } else if (child.desired === 'run' && resumes++ >= NESTED_RESUMES_MAX) return child;
        else if (child.desired === 'run') nested.goOn(id, { retry: false });
        else await nested.end(id);
        break;
      default:
        if (desired === 'pause' && child.desired === 'run') {
          nested.want(id, 'pause');
          passedOn = true;
        } else if (desired === 'run' && passedOn && child.desired === 'pause')
          nested.want(id, 'run');
    }
    await nextChangeWithin(control, signal, NESTED_LOOK_MS);
    await nested.keep();
  }
}

/** Whoever lost the thread, or stops with its worker, leaves the nested one to the next owner. */
async function abandon({ host }: StepWork, id: ThreadId, signal: AbortSignal): Promise<never> {
  const { reason } = signal;
  const isLost = reason instanceof Problem && reason.code === 'lease-lost';
  if (!isLost) await host.nested.end(id);
  throw reason;
}

function failureOf(
  role: string,
  { id, workflow, status, problem, returnCode, summary, parent }: ThreadRow,
): Problem {
  const which = `nested thread ${id} of workflow ${workflow}`;
  if (status === 'cancelled')
    return new Problem(
      'child-cancelled',
      `role ${role}: ${which} was cancelled; to start another one: uwf thread retry ${parent}`,
    );
  if (status === 'interrupted')
    return new Problem(
      'child-failed',
      `role ${role}: ${which} was interrupted again and again; see why with: uwf thread show ${id}`,
    );
  // It is about the whole chain, and says so.
  if (problem?.code === 'max-depth') return new Problem('max-depth', problem.message);
  const why =
    problem === null ? `code ${returnCode}: ${summary}` : `${problem.code}: ${problem.message}`;
  return new Problem('child-failed', `role ${role}: ${which} failed (${why})`);
}
