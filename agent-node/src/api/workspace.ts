import { realpathSync } from 'node:fs';
import { isAbsolute, sep } from 'node:path';
import { Problem } from '@uncaged/protocol/problem';

/**
 * Real path of a workspace that a request asks for: it must lie under one of `config.workspaceRoots`. What exists outside of
 * them is not told. Throws invalid-workspace.
 */
export function allowedWorkspace(path: string, roots: readonly string[]): string {
  const shown = JSON.stringify(path.slice(0, 200));
  if (!isAbsolute(path))
    throw new Problem('invalid-workspace', `workspace ${shown} is not an absolute path`);
  const real = pathUnder(path, roots);
  if (real !== null) return real;
  const allowed =
    roots.length === 0
      ? 'this node has no config.workspaceRoots, so it works only in directories it makes; leave workspace out'
      : `it is not a directory under ${roots.join(', ')} (config.workspaceRoots)`;
  throw new Problem('invalid-workspace', `workspace ${shown} cannot be used: ${allowed}`);
}

/** Real path of one that lies under one of the roots; null when it does not, or there is nothing. */
export function pathUnder(path: string, roots: readonly string[]): string | null {
  const real = realPath(path);
  const isInside = (root: string | null) =>
    root !== null &&
    real !== null &&
    (real === root || real.startsWith(root.endsWith(sep) ? root : root + sep));
  return roots.map(realPath).some(isInside) ? real : null;
}

/** As threads name the directories they work in; one that is not there is left as it was written. */
export function realPaths(paths: readonly string[]): string[] {
  return paths.map((path) => realPath(path) ?? path);
}

/** Null when there is nothing, or nothing that may be looked into. */
function realPath(path: string): string | null {
  try {
    return realpathSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const isNoPlace =
      code === 'ENOENT' ||
      code === 'ENOTDIR' ||
      code === 'EACCES' ||
      code === 'ELOOP' ||
      code === 'ENAMETOOLONG' ||
      code === 'ERR_INVALID_ARG_VALUE';
    if (isNoPlace) return null;
    throw error;
  }
}
