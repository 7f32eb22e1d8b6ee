import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import type { Log, NodeApi, NodeIdentity } from '../api/index.js';
import type { Access } from './access.js';

/** What @hono/node-server gives of a request. */
export type ServeEnv = { Bindings: HttpBindings };

export type ServeContext = Context<ServeEnv>;

/** What the served app works with. */
export type Serving = {
  api: Pick<NodeApi, 'app'>;
  node: NodeIdentity;
  access: Access;
  /** Names it may be reached by, besides those of loopback; see `createHostCheck`. */
  hosts: readonly string[];
  /** Where it listens, `127.0.0.1:4810`: a node names its gateway so. */
  address: string;
  /** ms since epoch */
  startedAt: number;
  clock: () => number;
  /** A request's body, bytes. */
  bodyMaxBytes: number;
  /** Whether what is served is still there. */
  isHealthy: () => boolean;
  log: Log;
};
