import type { Meta, Step, ThreadContext } from '../workflow/index.js';

const HASH = '8JY2SXDDEW4SJ';

export function step(role: string, meta: Meta): Step {
  return {
    role,
    attempt: 1,
    hash: HASH,
    contentHash: HASH,
    meta,
    refs: [],
    childThread: null,
    timestamp: 1,
  };
}

/** A thread with these steps behind it. */
export function threadWith(
  steps: Step[],
  start: { prompt?: string; inputs?: Record<string, unknown> | null } = {},
): ThreadContext & { steps: Step[] } {
  return {
    threadId: '01ARZ3NDEKTSV4RRFFQ69G5FAV',
    depth: 0,
    bundleHash: null,
    start: {
      role: '__start__',
      content: start.prompt ?? 'Do it',
      inputs: start.inputs ?? null,
      meta: {},
      parentState: null,
      timestamp: 0,
    },
    steps,
  };
}
