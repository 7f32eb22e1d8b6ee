import type { NestedThreads } from './nested-threads.js';

const refuse = (): never => {
  throw new Error('nothing is nested here');
};

/** For tests of threads that nest nothing. */
export const NOTHING_NESTED: NestedThreads = {
  start: refuse,
  want: refuse,
  goOn: refuse,
  pauseWith: refuse,
  end: refuse,
  keep: refuse,
};
