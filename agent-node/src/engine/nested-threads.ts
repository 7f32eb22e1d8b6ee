import type { Hash, ThreadId } from '@uncaged/protocol/ids';
import type { NestedWorkflow } from '../agents/index.js';
import type { StepKey, ThreadRow } from '../store/index.js';

export type NestedStart = {
  parent: ThreadRow;
  key: StepKey;
  workflow: NestedWorkflow;
  /** The user's prompt of the nested thread. */
  prompt: string;
  /** The parent's latest step. */
  parentState: Hash | null;
};

/** What the engine does to threads nested in the one that it drives; whoever else acts on them, each act is made once. */
export type NestedThreads = {
  /**
   * Stores a new thread, names it in the attempt's row in the same transaction, and has it run. Throws max-depth (with the
   * chain of workflows), workflow-not-found, invalid-definition, invalid-inputs, too-large; cancelled or lease-lost when the
   * parent may not go on.
   */
  start: (input: NestedStart) => Promise<ThreadId>;
  /** Tells one that is not at rest to pause, or takes that back. */
  want: (child: ThreadId, desired: 'pause' | 'run') => void;
  /** Puts an interrupted one (`retry`: a failed one) back into the queue; nothing when somebody else did. */
  goOn: (child: ThreadId, how: { retry: boolean }) => void;
  /** While it still rests, has the parent pause with it; false when it went on meanwhile. */
  pauseWith: (parent: ThreadId, child: ThreadId) => boolean;
  /** Ends it with all below it. Resolves when that is done, or when it takes too long: it is then ended with its worker. */
  end: (child: ThreadId) => Promise<void>;
  /** Finds out that its owner is gone, or that nobody takes it out of the queue. */
  keep: () => Promise<void>;
};
