import type { LinkClock } from '@uncaged/protocol/link';
import type { NodeLink } from '../links/index.js';
import type { Log } from '../log.js';
import { logOnce, reasonOf } from './failure-log.js';
import type { Follower } from './follower.js';
import type { EventLimits } from './limits.js';
import { parseSnapshot, placeLive } from './node-event.js';
import { createUpstream, type Upstream } from './upstream.js';

/**
 * Live text of the threads one follower looks at: a stream of its own per node that has some of them. Text of a node is
 * passed on only after its snapshot was. It may come a moment before or after the events around it, which take the common
 * stream; `thread`, `step` and `n` say where it belongs.
 */
export type LiveText = {
  /** The follower has been told how the node stands: text from now on, from the beginning of the step in flight. */
  nodeBegun: (link: NodeLink) => void;
  nodeEnded: (name: string) => void;
  stop: () => void;
};

type LiveInput = {
  threads: readonly string[];
  follower: Follower;
  clock: LinkClock;
  limits: EventLimits;
  random: () => number;
  log: Log;
  /** The node that has a thread; null: nobody knows, which is asked again when a node has come. */
  hostOf: (threadId: string) => string | null | Promise<string | null>;
};

export function createLiveText({ threads, follower, hostOf, ...rest }: LiveInput): LiveText {
  const log = logOnce(rest.log);
  /** Nodes that the follower knows to be there. */
  const links = new Map<string, NodeLink>();
  const streams = new Map<string, Upstream>();
  const hosts = new Map<string, string>();
  const asking = new Set<string>();
  /** Nodes of threads that were just found. */
  const found = new Set<string>();
  let isStopped = false;

  const open = (name: string): void => {
    streams.get(name)?.stop();
    streams.delete(name);
    const link = links.get(name);
    const wanted = new Set(threads.filter((id) => hosts.get(id) === name));
    if (link === undefined || wanted.size === 0) return;
    const upstream = createUpstream({
      ...rest,
      log,
      link,
      path: `/api/events?threads=${[...wanted].join(',')}`,
      // How the node stands is told by the common stream; this one only has to be in order.
      onBegun: parseSnapshot,
      onEvents: (events) => {
        for (const event of events) {
          const bytes = placeLive(event, name, wanted);
          if (bytes !== null) follower.write(bytes);
        }
      },
      onBroken: () => undefined,
    });
    streams.set(name, upstream);
  };
  const find = async (id: string): Promise<void> => {
    asking.add(id);
    let host: string | null = null;
    try {
      host = await hostOf(id);
    } catch (error) {
      log('N8D1GW6J', `where thread ${id} is could not be found out: ${reasonOf(error)}`);
    }
    asking.delete(id);
    if (isStopped || host === null) return;
    hosts.set(id, host);
    found.add(host);
    // Those found in the same turn share a stream.
    if (found.size === 1) rest.clock.soon(openFound);
  };
  const openFound = (): void => {
    const names = [...found];
    found.clear();
    if (!isStopped) for (const name of names) open(name);
  };

  return {
    nodeBegun: (link) => {
      links.set(link.name, link);
      open(link.name);
      for (const id of threads) if (!hosts.has(id) && !asking.has(id)) void find(id);
    },
    nodeEnded: (name) => {
      links.delete(name);
      streams.get(name)?.stop();
      streams.delete(name);
    },
    stop: () => {
      isStopped = true;
      for (const stream of streams.values()) stream.stop();
      streams.clear();
    },
  };
}
