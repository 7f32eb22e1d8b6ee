import type { ThreadId } from '@uncaged/protocol/ids';

/** Value of `UWF_STEP` in the environment of everything a step starts: how its processes are found again. */
export function stepMarker(thread: ThreadId, seq: number): string {
  return `${thread}/${seq}`;
}
