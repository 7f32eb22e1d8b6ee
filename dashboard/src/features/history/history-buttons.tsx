import type { ThreadDetail } from '@uncaged/protocol/api';
import { FileDown, GitFork } from 'lucide-react';
import { packPath } from '../../api/index.js';
import { Button, buttonLook } from '../../ui/index.js';
import { placeOf, useLive } from '../live/index.js';
import { useRefusal } from '../session/index.js';

/** What can be made of a thread, in whatever state it is. */
export function HistoryButtons({
  node,
  thread,
  onFork,
}: {
  node: string;
  thread: ThreadDetail;
  onFork: () => void;
}) {
  const refused = useRefusal(node, 'run');
  const isAway = useIsAway(node);
  const isGone = useLive(({ removed }) => removed[placeOf(node, thread.threadId)] === true);
  const gone = isGone ? 'This thread was removed.' : null;
  const noExport = gone ?? (isAway ? `${node} is not connected now.` : null);
  return (
    <>
      <Button
        icon={<GitFork className="size-4" aria-hidden />}
        title="A new thread that begins with steps of this one"
        refused={refused ?? gone}
        onClick={onFork}
      >
        Fork
      </Button>
      {noExport === null ? (
        <a
          href={packPath(node, thread.threadId)}
          download={`${thread.threadId}.uwfpack`}
          title="Downloads the thread with everything it is made of, to be imported on another node"
          className={buttonLook()}
        >
          <FileDown className="size-4" aria-hidden />
          Export
        </a>
      ) : (
        <Button icon={<FileDown className="size-4" aria-hidden />} refused={noExport}>
          Export
        </Button>
      )}
    </>
  );
}

/** Whether a node is known to be away. */
function useIsAway(node: string): boolean {
  return useLive(({ nodes }) => {
    const state = nodes[node]?.machine.state;
    return state !== undefined && state !== 'online';
  });
}
