import type { ThreadFilters } from './threads.js';

/** Names of what is cached. Everything of one node is under `['of', node]`, so that it can be forgotten at once. */
export const keys = {
  session: ['session'] as const,
  nodes: ['nodes'] as const,
  machine: (node: string) => ['of', node, 'machine'] as const,
  workflows: (node: string) => ['of', node, 'workflows'] as const,
  workflow: (node: string, name: string) => ['of', node, 'workflows', name] as const,
  versions: (node: string, name: string) => ['of', node, 'workflows', name, 'versions'] as const,
  lists: ['threads'] as const,
  list: (filters: ThreadFilters) => ['threads', filters] as const,
  today: ['today'] as const,
  thread: (node: string, id: string) => ['of', node, 'thread', id] as const,
  steps: (node: string, id: string) => ['of', node, 'thread', id, 'steps'] as const,
  /** Not below its thread: it changes with any of its relatives. */
  lineages: (node: string) => ['of', node, 'lineage'] as const,
  lineage: (node: string, id: string) => ['of', node, 'lineage', id] as const,
  diff: (node: string, id: string, other: string) => ['of', node, 'diff', id, other] as const,
  stepDetail: (node: string, hash: string) => ['content', node, hash, 'detail'] as const,
  text: (node: string, hash: string) => ['content', node, hash, 'text'] as const,
  /** Not below its thread: it changes with any thread of its node. */
  queuePlaces: (node: string) => ['of', node, 'queue'] as const,
  queuePlace: (node: string, id: string) => ['of', node, 'queue', id] as const,
  log: (node: string, id: string) => ['of', node, 'thread', id, 'log'] as const,
  workspaces: (node: string) => ['of', node, 'workspaces'] as const,
  content: (node: string, hash: string, part: 'tail' | 'whole') =>
    ['content', node, hash, part] as const,
};
