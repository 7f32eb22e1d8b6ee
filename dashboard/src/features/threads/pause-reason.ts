import type { ThreadSummary } from '@uncaged/protocol/api';

/** Why a thread is paused, in words that follow its status. */
export const PAUSE_REASONS: Record<NonNullable<ThreadSummary['reason']>, string> = {
  user: 'by a person',
  loop: 'it went in circles',
  'max-steps': 'all steps used up',
  'max-visits': 'a role was visited too often',
  budget: 'budget used up',
};
