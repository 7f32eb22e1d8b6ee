import { realpathSync } from 'node:fs';
import { join, sep } from 'node:path';

/** Where a storage root has the directories that were made for threads, each by its id. */
export function workDirectory(root: string): string {
  return join(root, 'work');
}

/** Whether a thread works in a directory that was made for one. `workspace` is the real path that its row has. */
export function isMadeWorkspace(root: string, workspace: string): boolean {
  // Of the root, which is there: of `work` nothing may be left.
  return workspace.startsWith(workDirectory(realpathSync(root)) + sep);
}
