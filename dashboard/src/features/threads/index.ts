export { FilterBar } from './filter-bar.js';
export { useLastSeen } from './last-seen.js';
export { mergeThreads } from './merge-threads.js';
export { statusDetail } from './status-detail.js';
export { ThreadColumns } from './thread-columns.js';
export { ThreadList } from './thread-list.js';
export { ThreadRow } from './thread-row.js';
export {
  filtersOf,
  isNarrowed,
  NO_FILTERS,
  searchOf,
  type ThreadSearch,
} from './thread-search.js';
export { tokensInWords, tokensOf } from './tokens.js';
export { UnreachableNotice } from './unreachable-notice.js';
export { useQueueWords } from './use-queue-words.js';
export { useThreads } from './use-threads.js';
