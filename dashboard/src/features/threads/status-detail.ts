import type { ThreadSummary } from '@uncaged/protocol/api';

type Standing = Pick<ThreadSummary, 'status' | 'desired' | 'reason' | 'stepCount'>;

/**
 * Behind the status, wherever a thread's status is shown: what it was told to do, or why it rests. Null: nothing is to be
 * added.
 */
export function statusDetail({ status, desired, reason, stepCount }: Standing): string | null {
  if (status === 'running' && desired === 'pause') return 'pauses after this step';
  if (status === 'running' && desired === 'kill') return 'is being ended';
  if (status === 'paused' && reason !== null) return pauseReason(reason, stepCount);
  return null;
}

function pauseReason(reason: NonNullable<Standing['reason']>, stepCount: number): string {
  switch (reason) {
    case 'user':
      // Told to pause, or to stop there from the beginning: either way this is where it stands.
      return stepCount === 0 ? 'before step 1' : `after step ${stepCount}`;
    case 'loop':
      return 'it went in circles';
    case 'max-steps':
      return 'all steps used up';
    case 'max-visits':
      return 'a role was visited too often';
    case 'budget':
      return 'budget used up';
  }
}
