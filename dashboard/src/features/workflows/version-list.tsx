import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { WorkflowHistoryItem } from '@uncaged/protocol/api';
import type { ReactNode } from 'react';
import { failureText, keys, rollBack } from '../../api/index.js';
import { Button, CopyId, Loaded, Notice, Panel, Time } from '../../ui/index.js';
import { useRefusal } from '../session/index.js';
import { useVersions } from './workflow-queries.js';

/** Versions of a name, the current one first; an earlier one can be made current. */
export function VersionPanel({ node, name }: { node: string; name: string }) {
  const queries = useQueryClient();
  const refused = useRefusal(node, 'publish');
  const back = useMutation({
    mutationFn: (hash: string) => rollBack(node, name, hash),
    onSuccess: () => queries.invalidateQueries({ queryKey: keys.workflows(node) }),
  });
  return (
    <Panel title="Versions" flush>
      <Loaded query={useVersions(node, name)} what="the versions">
        {(versions) => (
          <>
            {back.isError && (
              <Notice kind="error" className="m-2">
                {failureText(back.error)}
              </Notice>
            )}
            <ul className="divide-y">
              {versions.map((version) => (
                <VersionRow
                  key={`${version.hash}${version.timestamp}`}
                  version={version}
                  action={
                    version.current ? null : (
                      <Button
                        title={`New threads of ${name} use this version from now on; running ones keep theirs.`}
                        refused={back.isPending ? 'The registry is being changed.' : refused}
                        onClick={() => back.mutate(version.hash)}
                      >
                        Make current
                      </Button>
                    )
                  }
                />
              ))}
            </ul>
          </>
        )}
      </Loaded>
    </Panel>
  );
}

function VersionRow({
  version: { hash, kind, timestamp, current },
  action,
}: {
  version: WorkflowHistoryItem;
  action: ReactNode;
}) {
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1 px-3 py-2 text-sm">
      <CopyId id={hash} what="version" />
      <span className="text-muted">{kind}</span>
      {timestamp === null ? <span className="text-muted">built in</span> : <Time at={timestamp} />}
      {current && <span className="font-medium text-good">current</span>}
      <span className="ml-auto">{action}</span>
    </li>
  );
}
