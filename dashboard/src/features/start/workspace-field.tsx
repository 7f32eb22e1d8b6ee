import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { getThread, keys, listThreads } from '../../api/index.js';
import { OFFERED_WORKSPACES } from '../../limits.js';
import { Field, inputLook } from '../../ui/index.js';
import { NO_FILTERS } from '../threads/index.js';

/** Where on a node it shall work; where others worked is offered. */
export function WorkspaceField({
  node,
  value,
  onChange,
}: {
  /** Empty: any node; then nothing is known. */
  node: string;
  value: string;
  onChange: (value: string) => void;
}) {
  const list = useId();
  const known = useQuery({
    queryKey: keys.workspaces(node),
    queryFn: ({ signal }) => loadWorkspaces(node, signal),
    enabled: node !== '',
  });
  return (
    <Field
      label="Workspace"
      hint="Absolute path on the node, under one of its workspaceRoots. Empty: a new directory is made."
    >
      {(tied) => (
        <>
          <input
            {...tied}
            list={list}
            className={inputLook}
            spellCheck={false}
            autoComplete="off"
            value={value}
            onChange={(event) => onChange(event.target.value)}
          />
          <datalist id={list}>
            {known.data?.map((path) => (
              <option key={path} value={path} />
            ))}
          </datalist>
        </>
      )}
    </Field>
  );
}

/** Directories of the newest threads, without those that were made for one thread alone. */
async function loadWorkspaces(node: string, signal: AbortSignal): Promise<string[]> {
  const filters = { ...NO_FILTERS, node };
  const { items } = await listThreads(filters, null, signal, OFFERED_WORKSPACES);
  const threads = await Promise.all(items.map(({ threadId }) => getThread(node, threadId, signal)));
  const paths = threads.flatMap(({ workspace, threadId }) =>
    workspace.endsWith(threadId) ? [] : [workspace],
  );
  return [...new Set(paths)];
}
