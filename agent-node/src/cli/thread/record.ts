import type { EventRow, StepRow, Store, ThreadRow } from '../../store/index.js';
import { EVENT_PAGE } from './limits.js';

/** An event as it was stored, or what one would have said; then without a number. */
export type Recorded = Omit<EventRow, 'seq'> & { seq: number | null };

/**
 * All that happened in a thread so far, in order. Steps whose events are those of another thread or another machine (kept by
 * a fork, or imported) are told from their rows, first of all.
 */
export function* recordOf(store: Store, thread: ThreadRow): Generator<Recorded> {
  const first = firstOwnStep(store, thread);
  for (const row of stepsOf(store, thread)) {
    if (first !== null && isNotBefore(row, first)) break;
    yield* toldBy(row);
  }
  yield* eventsOf(store, thread);
}

function* eventsOf(store: Store, { id }: ThreadRow): Generator<EventRow> {
  let seq = 0;
  for (;;) {
    const events = store.events.after({ seq, thread: id, limit: EVENT_PAGE });
    yield* events;
    if (events.length < EVENT_PAGE) return;
    seq = events.at(-1)!.seq;
  }
}

function* stepsOf(store: Store, { id }: ThreadRow): Generator<StepRow> {
  let after = { seq: 0, attempt: 0 };
  for (;;) {
    const rows = store.steps.list(id, { after, limit: EVENT_PAGE });
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < EVENT_PAGE) return;
    after = { seq: last.seq, attempt: last.attempt };
  }
}

type Place = { seq: number; attempt: number };

function firstOwnStep(store: Store, thread: ThreadRow): Place | null {
  for (const { type, data } of eventsOf(store, thread))
    if (type.startsWith('step.')) return { seq: Number(data.seq), attempt: Number(data.attempt) };
  return null;
}

function isNotBefore(row: Place, place: Place): boolean {
  return row.seq > place.seq || (row.seq === place.seq && row.attempt >= place.attempt);
}

function* toldBy(row: StepRow): Generator<Recorded> {
  const { thread, seq, attempt, role, agent, status, problem, hash, startedAt, childThread } = row;
  const told = { seq: null, thread };
  const step = { seq, attempt, role };
  yield { ...told, type: 'step.started', at: startedAt, data: { ...step, agent } };
  if (childThread !== null)
    yield { ...told, type: 'step.nested', at: startedAt, data: { ...step, childThread } };
  const at = row.committedAt ?? startedAt;
  if (status === 'committed')
    yield { ...told, type: 'step.committed', at, data: { ...step, hash } };
  else if (problem !== null)
    yield { ...told, type: 'step.failed', at, data: { ...step, status, problem } };
}
