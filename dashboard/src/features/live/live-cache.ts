import type { QueryClient } from '@tanstack/react-query';
import { keys } from '../../api/index.js';
import { EVENTS_COME_TOGETHER_MS, REFRESH_EVERY_MS } from '../../limits.js';
import type { Live } from './live.js';
import type { LiveChange } from './live-change.js';
import { createRefetch } from './refetch.js';

type Key = readonly unknown[];

/** Which cached answers a change makes old; null: all of them. */
export function outdatedBy(change: LiveChange): Key[] | null {
  switch (change.type) {
    case 'snapshot':
      return change.resumed ? [] : null;
    case 'rejoined':
      return null;
    case 'node.up':
      return [keys.nodes, ['of', change.data.node], keys.lists, keys.today];
    case 'node.down':
      return [keys.nodes, keys.machine(change.data.node), keys.lists];
    case 'event': {
      const { node, thread, type } = change.data;
      if (type === 'workflow.changed') return [keys.workflows(node)];
      if (thread === null) return [];
      const detail = [keys.thread(node, thread)];
      // Rows of lists are patched by what the stream says; only what counts them is asked for again.
      return type.startsWith('thread.')
        ? [...detail, keys.machine(node), keys.lineages(node), keys.queuePlaces(node)]
        : detail;
    }
    case 'connection':
    case 'live':
    case 'summary':
      return [];
  }
}

/**
 * Keeps what was asked for as new as the stream: what an event makes old is asked for again, each thing at most once in
 * REFRESH_EVERY_MS however many events there are. Returns what ends it.
 */
export function keepCacheFresh(live: Live, queries: QueryClient): () => void {
  const waiting = new Map<string, Key>();
  let isPlanned = false;
  const refetch = createRefetch(queries);
  let flushedAt = 0;

  function flush(): void {
    isPlanned = false;
    flushedAt = Date.now();
    for (const queryKey of waiting.values()) refetch({ queryKey });
    waiting.clear();
  }

  return live.onChange((change) => {
    const outdated = outdatedBy(change);
    if (outdated === null) {
      // Also at the first snapshot: what happened between an earlier answer and it came by neither.
      refetch({ predicate: ({ queryKey }) => queryKey[0] !== 'content' });
      return;
    }
    for (const key of outdated) waiting.set(JSON.stringify(key), key);
    if (waiting.size === 0) return;
    const restMs = flushedAt + REFRESH_EVERY_MS - Date.now();
    if (isPlanned) return;
    isPlanned = true;
    setTimeout(flush, Math.max(restMs, EVENTS_COME_TOGETHER_MS));
  });
}
