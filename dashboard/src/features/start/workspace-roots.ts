/** Whether a path is one of a node's workspaceRoots or lies below one. Both are absolute and as the node gives them. */
export function isBelowRoots(path: string, roots: readonly string[]): boolean {
  return roots.some((root) => `${path}/`.startsWith(root.endsWith('/') ? root : `${root}/`));
}

/** A directory that a node made for a thread, in its store, or something below it. */
const MADE_BY_NODE = /\/work\/[0-7][0-9A-HJKMNP-TV-Z]{25}(?:\/|$)/;

/** Whether somebody may start something new in a directory from here. */
export function mayWorkIn(path: string, roots: readonly string[]): boolean {
  return MADE_BY_NODE.test(path) || isBelowRoots(path, roots);
}
