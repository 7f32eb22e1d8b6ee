import type { MachineJson, PlacedThread } from '@uncaged/protocol/api';

/** How the stream stands. Times in ms since epoch. */
export type Connection =
  /** No snapshot yet. */
  | { state: 'connecting'; why: string | null }
  | { state: 'live' }
  /** What is shown was true at `lastAt`. */
  | { state: 'reconnecting'; lastAt: number; why: string }
  /** The session is over: nothing comes until somebody logs in. */
  | { state: 'logged-out' };

/** Text of the step in flight, its end. */
export type LiveText = {
  step: number;
  /** Of the last piece; pieces that come twice are known by it. */
  n: number;
  pieces: { kind: 'text' | 'stderr'; text: string }[];
  /** Characters that were dropped at the beginning. */
  dropped: number;
};

export type LiveNode = {
  machine: MachineJson;
  /** Of the last event; earlier ones are known. */
  seq: number;
};

/** What the stream has told so far. Plain data: it travels between a worker and its tabs. */
export type LiveState = {
  connection: Connection;
  nodes: Record<string, LiveNode>;
  /** By `node/id`: what ran at the snapshot or changed since. Older than the lists' rows never. */
  threads: Record<string, PlacedThread>;
  /** By `node/id`: removed since the snapshot. */
  removed: Record<string, true>;
  /** By `node/id`. */
  texts: Record<string, LiveText>;
};

export const emptyLiveState: LiveState = {
  connection: { state: 'connecting', why: null },
  nodes: {},
  threads: {},
  removed: {},
  texts: {},
};

export function placeOf(node: string, thread: string): string {
  return `${node}/${thread}`;
}
