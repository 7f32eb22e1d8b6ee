type Edge = { from: string; to: string };

/**
 * Edges that close a loop: a depth-first search from the first node (then from those it did not reach, in their order) finds
 * them leading to a node it is still inside of. Without them the graph has no cycle. An edge of a node to itself is one.
 */
export function findBackEdges<E extends Edge>(
  nodes: readonly string[],
  edges: readonly E[],
): Set<E> {
  const leaving = new Map<string, E[]>(nodes.map((node) => [node, []]));
  for (const edge of edges) leaving.get(edge.from)?.push(edge);
  const back = new Set<E>();
  const state = new Map<string, 'inside' | 'left'>();
  // A stack of its own: a chain of ten thousand roles is deeper than the engine's.
  const path: { node: string; next: number }[] = [];
  const enter = (node: string) => {
    state.set(node, 'inside');
    path.push({ node, next: 0 });
  };
  for (const root of nodes) {
    if (state.has(root)) continue;
    enter(root);
    for (let at = path.at(-1); at !== undefined; at = path.at(-1)) {
      const edge = leaving.get(at.node)?.[at.next];
      at.next += 1;
      if (edge === undefined) {
        state.set(at.node, 'left');
        path.pop();
      } else if (state.get(edge.to) === 'inside') back.add(edge);
      else if (!state.has(edge.to)) enter(edge.to);
    }
  }
  return back;
}
