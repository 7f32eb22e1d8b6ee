/** Whether a path is one of a node's workspaceRoots or lies below one. Both are absolute and as the node gives them. */
export function isBelowRoots(path: string, roots: readonly string[]): boolean {
  return roots.some((root) => `${path}/`.startsWith(root.endsWith('/') ? root : `${root}/`));
}
