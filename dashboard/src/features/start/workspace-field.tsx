import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { getThread, keys, listThreads } from '../../api/index.js';
import { OFFERED_WORKSPACES, SHOWN_WORKSPACES } from '../../limits.js';
import { Field, inputLook } from '../../ui/index.js';
import { NO_FILTERS } from '../threads/index.js';
import { isBelowRoots } from './workspace-roots.js';

/** Where on a node it shall work; where others worked is offered. */
export function WorkspaceField({
  node,
  roots,
  value,
  onChange,
}: {
  /** Empty: any node; then nothing is known. */
  node: string;
  /** Below which it may be; null: not known. */
  roots: readonly string[] | null;
  value: string;
  onChange: (value: string) => void;
}) {
  const list = useId();
  const known = useQuery({
    queryKey: keys.workspaces(node),
    queryFn: ({ signal }) => loadWorkspaces(node, signal),
    enabled: node !== '',
  });
  // What was used on the machine itself may lie where nobody else may work.
  const used = (known.data ?? []).filter((path) => roots === null || isBelowRoots(path, roots));
  const offered = [...new Set([...(roots ?? []), ...used])];
  return (
    <Field label="Workspace" hint={hintOf(node, roots)}>
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
            {offered.map((path) => (
              <option key={path} value={path} />
            ))}
          </datalist>
          {offered.length > 0 && (
            <ul aria-label="Directories to choose from" className="flex flex-wrap gap-1.5">
              {offered.slice(0, SHOWN_WORKSPACES).map((path) => (
                <li key={path} className="min-w-0">
                  <button
                    type="button"
                    aria-pressed={path === value}
                    title={path}
                    onClick={() => onChange(path)}
                    className="max-w-full truncate rounded border bg-sunken px-2 py-0.5 font-mono text-xs hover:bg-hover aria-pressed:border-accent aria-pressed:bg-accent-soft aria-pressed:text-accent"
                  >
                    {path}
                  </button>
                </li>
              ))}
            </ul>
          )}
        </>
      )}
    </Field>
  );
}

function hintOf(node: string, roots: readonly string[] | null): string {
  if (node === '')
    return 'Absolute path that is there on every node. Empty: the node makes a new, empty directory for it.';
  if (roots?.length === 0)
    return `${node} has no workspaceRoots (in its workflow.yaml), so it works only in a new directory; leave this empty.`;
  const below = roots === null ? 'one of its workspaceRoots' : roots.join(' or ');
  return `Absolute path on ${node}, ${below} or below. Empty: ${node} makes a new, empty directory for it.`;
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
