import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findBackEdges } from './back-edges.js';

const edge = (from: string, to: string) => ({ from, to });

describe('findBackEdges', () => {
  it('finds the edge that closes a loop, and an edge of a node to itself', () => {
    const edges = [edge('s', 'a'), edge('a', 'b'), edge('b', 'a'), edge('b', 'b')];
    expect([...findBackEdges(['s', 'a', 'b'], edges)]).toEqual([edges[2], edges[3]]);
  });

  it('begins at the first node: of a loop the edge back to where it is entered is the one', () => {
    const edges = [edge('c', 'a'), edge('a', 'b'), edge('b', 'c'), edge('s', 'b')];
    expect([...findBackEdges(['s', 'a', 'b', 'c'], edges)]).toEqual([edges[1]]);
  });

  it('finds loops that the first node does not lead to', () => {
    const edges = [edge('a', 'b'), edge('b', 'a')];
    expect([...findBackEdges(['s', 'a', 'b'], edges)]).toEqual([edges[1]]);
  });

  it('leaves no loop in any graph, and takes nothing from one without', () => {
    const nodes = Array.from({ length: 10 }, (_, index) => `${index}`);
    const node = fc.constantFrom(...nodes);
    fc.assert(
      fc.property(fc.array(fc.tuple(node, node)), (pairs) => {
        const edges = pairs.map(([from, to]) => edge(from, to));
        const back = findBackEdges(nodes, edges);
        const rest = edges.filter((one) => !back.has(one));
        expect(hasLoop(nodes, rest)).toBe(false);
        expect(findBackEdges(nodes, rest).size).toBe(0);
      }),
    );
  });

  it('follows a chain of a hundred thousand nodes', () => {
    const nodes = Array.from({ length: 100_000 }, (_, index) => `${index}`);
    const edges = nodes.slice(1).map((to, index) => edge(`${index}`, to));
    edges.push(edge('99999', '0'));
    expect([...findBackEdges(nodes, edges)]).toEqual([edges.at(-1)]);
  });
});

/** Takes nodes that nothing leads to away until there are none. */
function hasLoop(nodes: readonly string[], edges: readonly { from: string; to: string }[]) {
  let [left, ways] = [[...nodes], [...edges]];
  for (;;) {
    const free = left.filter((node) => !ways.some(({ to }) => to === node));
    if (free.length === 0) return left.length > 0;
    left = left.filter((node) => !free.includes(node));
    ways = ways.filter(({ from }) => !free.includes(from));
  }
}
