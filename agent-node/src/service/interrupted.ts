import type { ThreadId } from '@uncaged/protocol/ids';
import { PAGE_MAX } from '@uncaged/protocol/limits';
import type { Store, ThreadRow } from '../store/index.js';

type Tries = { steps: number; resumed: number };

type ResumerInput = {
  store: Store;
  /** Interruptions in a row after which a step is left alone. */
  interruptedMax: number;
  onResumed: (thread: ThreadRow) => void;
  /** Told once per interruption. */
  onGivenUp: (thread: ThreadRow) => void;
};

/**
 * Puts interrupted threads back into the queue, but not for ever. A thread that somebody told to pause or to end is not
 * touched, nor is a copy from a pack, and of several that look at once only one queues it. What is returned throws what `store.write` does.
 */
export function createResumer({
  store,
  interruptedMax,
  onResumed,
  onGivenUp,
}: ResumerInput): () => void {
  /** Resumes without a new step: a worker that dies before it begins one leaves no attempt to count. */
  const tries = new Map<ThreadId, Tries>();
  /** Thread → when the row that was given up on was written. */
  const givenUp = new Map<ThreadId, number>();

  function triesOf({ id, steps }: ThreadRow): Tries {
    const known = tries.get(id);
    return known?.steps === steps ? known : { steps, resumed: 0 };
  }

  function resume(thread: ThreadRow): void {
    if (thread.imported || thread.desired !== 'run' || givenUp.get(thread.id) === thread.updatedAt)
      return;
    const { steps, resumed } = triesOf(thread);
    if (resumed >= interruptedMax || interruptedInARow(store, thread.id, interruptedMax)) {
      givenUp.set(thread.id, thread.updatedAt);
      onGivenUp(thread);
      return;
    }
    if (!requeue(store, thread.id)) return;
    tries.set(thread.id, { steps, resumed: resumed + 1 });
    givenUp.delete(thread.id);
    onResumed(thread);
  }

  /** What went on, or is gone, starts anew. */
  function forget(): void {
    for (const [id, { steps }] of tries)
      if (store.threads.get(id)?.steps !== steps) tries.delete(id);
    for (const [id, at] of givenUp) if (store.threads.get(id)?.updatedAt !== at) givenUp.delete(id);
  }

  return () => {
    forget();
    if (store.threads.countByStatus().interrupted === 0) return;
    for (const thread of interrupted(store)) resume(thread);
  };
}

/** Page by page: what is done with one page does not move the next. */
function* interrupted(store: Store): Generator<ThreadRow> {
  let before: ThreadId | undefined;
  for (;;) {
    const page = store.threads.list({
      statuses: ['interrupted'],
      limit: PAGE_MAX,
      ...(before === undefined ? {} : { before }),
    });
    yield* page;
    if (page.length < PAGE_MAX) return;
    before = page.at(-1)?.id;
  }
}

/** Whether the newest attempts at the step that did not get done, so many of them, were all interrupted. */
function interruptedInARow(store: Store, thread: ThreadId, count: number): boolean {
  const open = store.steps.lastOpen(thread);
  if (open === null || open.attempt < count) return false;
  const { seq, attempt } = open;
  const last = store.steps.list(thread, { after: { seq, attempt: attempt - count }, limit: count });
  return last.every((step) => step.seq === seq && step.status === 'interrupted');
}

/** False when somebody else was faster, with whatever. */
function requeue(store: Store, id: ThreadId): boolean {
  return store.write('full', () => {
    const row = store.threads.get(id);
    if (row?.status !== 'interrupted' || row.desired !== 'run') return false;
    if (store.leases.get(id) !== null) return false;
    // It goes on as it was started: not beyond the step where it was to stop.
    store.threads.requeue(id, { retry: false, raise: { stopAt: row.options.stopAt } });
    return true;
  });
}
