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
  const real = realPath(path);
  const isInside = (root: string | null) =>
    root !== null &&
    real !== null &&
    (real === root || real.startsWith(root.endsWith(sep) ? root : root + sep));
  if (real !== null && roots.map(realPath).some(isInside)) return real;
  const allowed =
    roots.length === 0
      ? 'this node has no config.workspaceRoots, so it works only in directories it makes; leave workspace out'
      : `it is not a directory under ${roots.join(', ')} (config.workspaceRoots)`;
  throw new Problem('invalid-workspace', `workspace ${shown} cannot be used: ${allowed}`);
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
