import { isDeepStrictEqual } from 'node:util';
import type { DiffSide, ThreadDiff } from '@uncaged/protocol/api';
import type { ThreadId } from '@uncaged/protocol/ids';
import { Problem } from '@uncaged/protocol/problem';
import type { StepRow, Store, ThreadRow } from '../store/index.js';
import { DIFF_STEPS_MAX } from './limits.js';
import { stepJson } from './step.js';
import { threadSummary } from './thread.js';

/**
 * Two threads side by side, from the first step on that they do not share; DIFF_STEPS_MAX steps of each, sums over all.
 * Reads a page of each and a few rows beside, however long they are. Throws store-damaged when a state cannot be read.
 */
export function threadDiff(store: Store, a: ThreadRow, b: ThreadRow): ThreadDiff {
  return store.read(() => {
    const sharedSteps = countShared(store, a, b);
    const page = { afterSeq: sharedSteps, limit: DIFF_STEPS_MAX };
    const left = store.steps.committed(a.id, page);
    const right = store.steps.committed(b.id, page);
    const count = Math.max(left.length, right.length);
    return {
      a: threadSummary(a),
      b: threadSummary(b),
      sharedSteps,
      steps: Array.from({ length: count }, (_, at) =>
        pair(store, sharedSteps + at + 1, left[at] ?? null, right[at] ?? null),
      ),
      isCut: Math.max(a.steps, b.steps) > sharedSteps + count,
      totals: {
        a: store.steps.totals(a.id, sharedSteps),
        b: store.steps.totals(b.id, sharedSteps),
      },
    };
  });
}

/** A state names the one before it, so that two equal ones have the same past: halving finds the last of them. */
function countShared(store: Store, a: ThreadRow, b: ThreadRow): number {
  let shared = 0;
  let differs = Math.min(a.steps, b.steps) + 1;
  while (differs - shared > 1) {
    const seq = Math.floor((shared + differs) / 2);
    if (hashAt(store, a.id, seq) === hashAt(store, b.id, seq)) shared = seq;
    else differs = seq;
  }
  return shared;
}

function hashAt(store: Store, thread: ThreadId, seq: number): string {
  const [row] = store.steps.committed(thread, { afterSeq: seq - 1, limit: 1 });
  if (row?.seq !== seq || row.hash === null)
    throw new Problem('store-damaged', `step ${seq} of thread ${thread} is not in the store`);
  return row.hash;
}

function pair(
  store: Store,
  seq: number,
  left: StepRow | null,
  right: StepRow | null,
): ThreadDiff['steps'][number] {
  const a = left === null ? null : sideOf(store, left);
  const b = right === null ? null : sideOf(store, right);
  const isBoth = a !== null && b !== null;
  return {
    seq,
    a,
    b,
    isMetaEqual: isBoth && isDeepStrictEqual(a.meta, b.meta),
    isContentEqual: isBoth && a.contentHash === b.contentHash,
  };
}

function sideOf(store: Store, row: StepRow): DiffSide {
  const step = stepJson(store, row);
  if (step.hash === null || step.meta === null || step.committedAt === null)
    throw new Problem(
      'store-damaged',
      `the state ${row.hash} of step ${row.seq} of thread ${row.thread} cannot be read; run: uwf cas verify`,
    );
  return {
    role: step.role,
    attempt: step.attempt,
    hash: step.hash,
    contentHash: step.contentHash,
    content: step.content,
    contentSize: step.contentSize,
    meta: step.meta,
    usage: step.usage,
    usd: step.usd,
    startedAt: step.startedAt,
    committedAt: step.committedAt,
  };
}
