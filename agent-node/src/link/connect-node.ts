import { type Allow, createSystemClock, type LinkClock } from '@uncaged/protocol/link';
import { nanoid } from 'nanoid';
import type { Log } from '../api/index.js';
import { type ConnectionState, keepConnected } from './connection.js';
import { dial } from './dial.js';
import type { NodeLinkLimits } from './limits.js';
import { proxyOf } from './proxy.js';
import { createRequestServer, type RequestApp } from './serve-request.js';

export type ConnectNodeInput = {
  /** http(s) URLs without credentials, query or fragment; tried in this order, one link at a time. */
  readonly gateways: readonly string[];
  /** Of this node, visible ASCII. Sent in a header, shown nowhere. */
  readonly token: string;
  readonly name: string;
  readonly version: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly allow: readonly Allow[];
  /** Answers what comes over the link. */
  readonly app: RequestApp;
  readonly onState: (state: ConnectionState) => void;
  readonly log: Log;
  readonly limits: NodeLinkLimits;
  /** Detaches: streams of events end, other requests are waited for, at most `drainMs`. */
  readonly signal: AbortSignal;
  /** What differs from the process's own. `proxyFor`: see `proxyOf`; `random`: 0 ≤ n < 1. */
  readonly clock?: LinkClock;
  readonly random?: () => number;
  readonly proxyFor?: (url: string) => string;
};

/**
 * Connects a node to a gateway and keeps it connected. Resolves when the signal has aborted and the link is closed. Rejects
 * with what no further attempt would change: `unauthorized`, `forbidden`, `token-revoked`, `update-needed`,
 * `invalid-argument` (a proxy that cannot be used).
 */
export async function connectNode(input: ConnectNodeInput): Promise<void> {
  const { gateways, token, limits, log, onState, signal, app } = input;
  const { name, version, labels, allow } = input;
  const { clock = createSystemClock(), random = Math.random, proxyFor = proxyOf } = input;
  await keepConnected({
    gateways,
    hello: { node: name, instance: nanoid(), version, labels: { ...labels }, allow: [...allow] },
    onRequest: createRequestServer({ app, log, leaving: signal }),
    open: (attempt) => dial({ ...attempt, token, proxyFor, limits, clock }),
    onState,
    clock,
    random,
    limits,
    log,
    signal,
  });
}
