import type { ThreadId } from '@uncaged/protocol/ids';
import { isOver, type Store, type ThreadOptions, type ThreadRow } from '../store/index.js';

/**
 * A thread and the one nested in its open step rest and go on as one: whichever of them a person lets go on, the others that
 * rest with it go on too. All functions that write are to be called in a transaction.
 */
type GoOn = {
  retry: boolean;
  /** Raised for the thread `at`, which stands at its limit. */
  raise: Partial<ThreadOptions>;
  at: ThreadId;
};

/** The nested thread that the open step of a thread is; null when it is none. */
export function openChild(store: Store, { id, steps }: ThreadRow): ThreadRow | null {
  const child = store.steps.lastChild(id, steps + 1)?.childThread ?? null;
  return child === null ? null : store.threads.get(child);
}

/** Of a paused thread the one whose limit it is that all above it wait for: itself, or one nested in it. */
export function whoStands(store: Store, thread: ThreadRow): ThreadRow {
  let at = thread;
  for (;;) {
    const child = at.status === 'paused' ? openChild(store, at) : null;
    if (child === null || child.status !== 'paused') return at;
    at = child;
  }
}

/** Lets those below go on that rest with it. Returns the keys of workers that are needed. */
export function goOnBelow(store: Store, thread: ThreadRow, how: GoOn): string[] {
  const keys: string[] = [];
  for (
    let child = openChild(store, thread);
    child !== null && letGoOn(store, child, how, keys);
    child = openChild(store, child)
  );
  return keys;
}

/** Lets those above go on that rest because of it. Returns the keys of workers that are needed. */
export function goOnAbove(store: Store, thread: ThreadRow, how: GoOn): string[] {
  const keys: string[] = [];
  let { id, parent } = thread;
  while (parent !== null) {
    const above = store.threads.get(parent);
    if (above === null || openChild(store, above)?.id !== id) break;
    // One that was interrupted, or failed for another reason, does not wait for this one.
    const isOfThis = above.status !== 'interrupted' && restsWithNested(above);
    if (!isOfThis || !letGoOn(store, above, how, keys)) break;
    ({ id, parent } = above);
  }
  return keys;
}

const NESTED_FAILURES: ReadonlySet<string | undefined> = new Set(['child-failed', 'max-depth']);

const restsWithNested = ({ status, problem }: ThreadRow) =>
  status !== 'failed' || NESTED_FAILURES.has(problem?.code);

/** False when it is none of those that rest, or are about to: then nothing beyond it does because of it. */
function letGoOn(
  store: Store,
  row: ThreadRow,
  { retry, raise, at }: GoOn,
  keys: string[],
): boolean {
  const { id, status, desired, imported } = row;
  if (imported || isOver(row) || desired === 'kill') return false;
  const isRetry = status === 'failed' && retry;
  if (status === 'paused' || status === 'interrupted' || isRetry) {
    store.threads.requeue(id, { retry: isRetry, raise: id === at ? raise : {} });
    keys.push(row.worker);
    return true;
  }
  if (status !== 'running' && status !== 'queued') return false;
  if (desired === 'pause') store.threads.setDesired(id, 'run');
  return true;
}
