import type { ThreadSummary } from '@uncaged/protocol/api';
import type { Log } from '../log.js';
import { createHosts } from './hosts.js';
import { DIRECTORY_LIMITS, type DirectoryLimits } from './limits.js';
import { readNodesFile, writeNodesFile } from './nodes-file.js';
import { createSaver } from './saver.js';
import type { Directory, KnownNode } from './types.js';

export type DirectoryOptions = {
  /** `nodes.json`; its folder is there. */
  readonly file: string;
  /** The name of this gateway. */
  readonly gateway: string;
  /** ms since epoch. */
  readonly now: () => number;
  readonly log: Log;
  readonly limits?: DirectoryLimits;
};

/** Rejects with `invalid-config` when the file cannot be read; a damaged one is kept aside. */
export async function createDirectory(options: DirectoryOptions): Promise<Directory> {
  const { file, gateway, now, log, limits = DIRECTORY_LIMITS } = options;
  const nodes = new Map<string, KnownNode>();
  const hosts = createHosts(limits.hostsMax);
  let sorted: readonly KnownNode[] | null = null;
  const saver = createSaver(
    () => writeNodesFile(file, [...nodes.values()], now(), limits.batchCharacters),
    limits,
    log,
  );

  const put = (known: KnownNode) => {
    const { node } = known.hello;
    const isNew = !nodes.has(node);
    nodes.set(node, known);
    if (isNew && nodes.size > limits.nodesMax) forgetOldest();
    sorted = null;
  };
  const learnHosts = ({ hello, seen }: KnownNode) => {
    // Where only a copy is, the thread itself is elsewhere.
    for (const { threadId, imported } of seen?.threads ?? [])
      if (!imported) hosts.set(threadId, hello.node);
  };
  /** Of those that are online none is forgotten: there are as many as there are links. */
  const forgetOldest = () => {
    let oldest: KnownNode | null = null;
    for (const known of nodes.values()) {
      if (known.state !== 'online' && (oldest === null || known.since < oldest.since))
        oldest = known;
    }
    if (oldest === null) return;
    nodes.delete(oldest.hello.node);
    hosts.dropAll(oldest.hello.node);
    log('FKAPA3GK', `more than ${limits.nodesMax} nodes: ${oldest.hello.node} was forgotten`);
  };
  for (const known of await readNodesFile(file, now, log)) {
    put(known);
    learnHosts(known);
  }

  return {
    list() {
      sorted ??= [...nodes.values()].sort((a, b) => (a.hello.node < b.hello.node ? -1 : 1));
      return sorted;
    },
    get: (name) => nodes.get(name) ?? null,
    setState({ node, version, labels, allow }, state) {
      const known = nodes.get(node);
      const since = known?.state === state ? known.since : now();
      const hello = { node, version, labels, allow };
      put({ hello, state, since, gateway, seen: known?.seen ?? null });
      saver.changed();
    },
    setSeen(name, { node, threads }) {
      const known = nodes.get(name);
      // It was forgotten while it was asked.
      if (known === undefined) return;
      const next = { ...known, seen: { at: now(), node, threads: newest(threads, limits) } };
      put(next);
      learnHosts(next);
      saver.changed();
    },
    forget(name) {
      if (!nodes.delete(name)) return false;
      hosts.dropAll(name);
      sorted = null;
      saver.changed();
      return true;
    },
    hostOf: hosts.get,
    setHost: hosts.set,
    dropHost: hosts.drop,
    close: saver.close,
  };
}

/** As many rows as may be kept, from the first on. */
function newest(threads: readonly ThreadSummary[], limits: DirectoryLimits): ThreadSummary[] {
  const kept: ThreadSummary[] = [];
  let characters = 0;
  for (const thread of threads.slice(0, limits.seenThreadsMax)) {
    characters += JSON.stringify(thread).length;
    if (characters > limits.seenMaxCharacters) break;
    kept.push(thread);
  }
  return kept;
}
