import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isPage, mergePages, type NodePage } from './merge-pages.js';
import { idOf, summaryOf } from './test-node.test-data.js';

const page = (node: string, ids: number[], next: number | null = null): NodePage => ({
  node,
  items: ids.map((n) => summaryOf(idOf(n))),
  nextCursor: next === null ? null : idOf(next),
});

/** What a node answers: at most `limit`, sometimes less although there is more. */
function pageOf(
  node: string,
  ids: readonly number[],
  before: string | undefined,
  size: number,
): NodePage {
  const rest = ids
    .map(idOf)
    .filter((id) => before === undefined || id < before)
    .sort()
    .reverse();
  const items = rest.slice(0, size);
  const nextCursor = items.length < rest.length ? items.at(-1)! : null;
  return { node, items: items.map(summaryOf), nextCursor };
}

describe('paging through threads of several nodes', () => {
  it('gives every thread once and in order, however they are spread', () => {
    fc.assert(
      fc.property(
        fc.array(fc.uniqueArray(fc.nat(200), { maxLength: 40 }), { maxLength: 5 }),
        fc.integer({ min: 1, max: 20 }),
        fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 7 }),
        (nodes, limit, sizes) => {
          const seen: string[] = [];
          let cursor: string | undefined;
          let turn = 0;
          do {
            const pages = nodes.map((ids, at) => {
              const size = Math.min(limit, sizes[(turn + at) % sizes.length]!);
              return pageOf(`n${at}`, ids, cursor, size);
            });
            for (const one of pages) expect(isPage(one, { limit, cursor })).toBe(true);
            const merged = mergePages(pages, limit, () => null);
            expect(merged.items.length).toBeLessThanOrEqual(limit);
            seen.push(...merged.items.map(({ threadId }) => threadId));
            cursor = merged.nextCursor ?? undefined;
            turn += 1;
          } while (cursor !== undefined && turn < 1000);
          expect(cursor).toBeUndefined();
          expect(seen).toEqual([...new Set(nodes.flat())].sort((a, b) => b - a).map(idOf));
        },
      ),
    );
  });

  it('shows a thread that two nodes have at the one that is known to be its host', () => {
    const pages = [page('a', [2, 1]), page('b', [2])];
    const nodes = (host: string | null) =>
      mergePages(pages, 10, () => host).items.map(({ node }) => node);
    expect(nodes(null)).toEqual(['a', 'a']);
    expect(nodes('b')).toEqual(['b', 'a']);
  });

  it('shows a thread where it is itself, whatever is known, and a copy of it when nothing else is there', () => {
    const copies = (node: string): NodePage => {
      const { items, ...rest } = page(node, [2]);
      return { ...rest, items: items.map((item) => ({ ...item, imported: true })) };
    };
    const shown = (pages: NodePage[], host: string | null) =>
      mergePages(pages, 10, () => host).items.map(({ node, imported }) => [node, imported]);
    for (const host of ['a', 'b', 'c', null]) {
      expect(shown([copies('a'), page('b', [2]), copies('c')], host)).toEqual([['b', false]]);
      expect(shown([page('b', [2]), copies('a')], host)).toEqual([['b', false]]);
    }
    expect(shown([copies('a'), copies('c')], null)).toEqual([['a', true]]);
    expect(shown([copies('a'), copies('c')], 'c')).toEqual([['c', true]]);
  });
});

describe('a page of a node', () => {
  const asked = { limit: 2, cursor: idOf(10) };
  it.each([
    ['too many', page('a', [3, 2, 1])],
    ['in the wrong order', page('a', [1, 2])],
    ['one twice', page('a', [2, 2])],
    ['not behind the cursor', page('a', [10])],
    ['a cursor that leaves something out', page('a', [3, 2], 3)],
    ['a cursor that does not lead on', page('a', [], 10)],
  ])('is not taken with %s', (_, one) => {
    expect(isPage(one, asked)).toBe(false);
  });
  it('is taken empty, with and without more to come', () => {
    expect(isPage(page('a', []), asked)).toBe(true);
    expect(isPage(page('a', [], 9), asked)).toBe(true);
  });
});
