import type { Allow } from '@uncaged/protocol/link';
import type { ControlContext } from '../executor/index.js';
import type { RegistryReader } from '../registry/index.js';
import type { Store } from '../store/index.js';
import type { ApiLimits } from './limits.js';
import type { Tailer } from './stream/tailer.js';

/** Who asks, and what that one may do. */
export type Caller = {
  role: 'viewer' | 'operator';
  /** For the log. */
  name: string;
  allow: readonly Allow[];
};

/** Decides who asks. Throws unauthorized, forbidden. */
export type Authorize = (request: Request) => Caller | Promise<Caller>;

/** What the node calls itself. `allow`: what it lets others do to it, for `GET /api/node`. */
export type NodeIdentity = {
  name: string;
  labels: Readonly<Record<string, string>>;
  allow: readonly Allow[];
};

/** A line of the node's log; the tag leads to the place in the code. */
export type Log = (tag: string, text: string) => void;

/** What the routes work with. */
export type ApiContext = {
  store: Store;
  tailer: Tailer;
  /** For what is asked all the time; what is changed is read anew. */
  registry: RegistryReader;
  control: ControlContext;
  node: NodeIdentity;
  limits: ApiLimits;
  log: Log;
  /** Threads whose owner is gone become `interrupted`; at most every `recoverEveryMs`. */
  recover: () => Promise<void>;
  /** Tries again while another process writes. Throws store-busy in the end. */
  whenFree: <T>(work: () => T | Promise<T>) => Promise<T>;
};
