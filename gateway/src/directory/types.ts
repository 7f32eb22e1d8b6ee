import type { MachineJson, NodeJson, ThreadSummary } from '@uncaged/protocol/api';
import type { Hello } from '@uncaged/protocol/link';

/** What is known of a node, there or not. */
export type KnownNode = {
  /** Last HELLO, also of one that was refused for its protocols. */
  hello: Pick<Hello, 'node' | 'version' | 'labels' | 'allow'>;
  state: MachineJson['state'];
  /** When the state began, ms since epoch. */
  since: number;
  gateway: string;
  /** Its last GET /api/node and newest threads (at most 50); null when there was none. */
  seen: { at: number; node: NodeJson; threads: ThreadSummary[] } | null;
};

/**
 * Who holds which node, and what was last seen of it. In memory, kept in `nodes.json` so that offline nodes are known after a
 * restart (all of them are offline then). Only this module writes the file.
 */
export type Directory = {
  /** By name. */
  list: () => readonly KnownNode[];
  get: (name: string) => KnownNode | null;
  /** The one setter of states. */
  setState: (hello: KnownNode['hello'], state: KnownNode['state']) => void;
  setSeen: (name: string, seen: { node: NodeJson; threads: ThreadSummary[] }) => void;
  /** False when there is none. */
  forget: (name: string) => boolean;
  /** The node that a thread was last found on, also by the last threads seen; null: nobody knows. */
  hostOf: (threadId: string) => string | null;
  /** Remembers where a thread is; the oldest of too many are forgotten. */
  setHost: (threadId: string, name: string) => void;
  dropHost: (threadId: string) => void;
  /** Writes what is not written yet. */
  close: () => Promise<void>;
};
