import { UnreachableNotice, useLastSeen, useThreads } from '../threads/index.js';
import { nodesThatMatter } from './nodes-that-matter.js';
import { RUNNING } from './views.js';

/**
 * Names nodes that do not answer while something on them is not over. Of any other it is enough that the list of nodes says
 * that they are offline.
 */
export function AwayNotice() {
  const { unreachable } = useThreads(RUNNING);
  const lastSeen = useLastSeen(unreachable);
  return <UnreachableNotice nodes={nodesThatMatter(unreachable, Object.values(lastSeen))} />;
}
