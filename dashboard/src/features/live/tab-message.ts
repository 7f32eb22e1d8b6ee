import type { LiveChange } from './live-change.js';
import type { LiveState } from './live-state.js';

/** From a tab to the shared worker. */
export type TabMessage =
  /** That it is there, and whose live text it shows. Said again and again: a tab that crashed says nothing any more. */
  { type: 'here'; threads: string[] } | { type: 'restart' } | { type: 'bye' };

/** From the shared worker to a tab: everything once, then what changes. */
export type HubMessage =
  | { type: 'state'; state: LiveState }
  | { type: 'change'; change: LiveChange };
