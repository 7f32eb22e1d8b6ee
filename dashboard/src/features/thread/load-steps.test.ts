import type { StepJson } from '@uncaged/protocol/api';
import { describe, expect, it } from 'vitest';
import { type LoadedPage, loadSteps } from './load-steps.js';

const PAGE = 2;
const step = (seq: number, status: StepJson['status']) => ({ seq, status }) as StepJson;

/** A thread's list of steps, as a node pages through it. */
function listOf(steps: StepJson[]) {
  const asked: (string | null)[] = [];
  const load = async (cursor: string | null) => {
    asked.push(cursor);
    const from = cursor === null ? 0 : Number(cursor);
    const items = steps.slice(from, from + PAGE);
    return { items, nextCursor: from + PAGE < steps.length ? String(from + PAGE) : null };
  };
  return { load, asked };
}
const seqs = (pages: LoadedPage[]) => pages.flatMap(({ items }) => items.map(({ seq }) => seq));
const done = (count: number) => Array.from({ length: count }, (_, at) => step(at + 1, 'committed'));

describe('loading steps', () => {
  it('shows each page when it is there', async () => {
    const { load } = listOf(done(5));
    const seen: number[][] = [];
    const pages = await loadSteps([], load, (all) => seen.push(seqs(all)));
    expect(seen).toEqual([
      [1, 2],
      [1, 2, 3, 4],
    ]);
    expect(seqs(pages)).toEqual([1, 2, 3, 4, 5]);
  });

  it('asks again only for what may have changed', async () => {
    const before = await loadSteps([], listOf(done(5)).load, () => undefined);
    const { load, asked } = listOf(done(7));
    expect(seqs(await loadSteps(before, load, () => undefined))).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(asked).toEqual(['4', '6']);
  });

  it('asks again for a full page that had a step in flight', async () => {
    const flying = [step(1, 'committed'), step(2, 'running'), step(3, 'committed')];
    const before = await loadSteps([], listOf(flying).load, () => undefined);
    const { load, asked } = listOf(done(3));
    const pages = await loadSteps(before, load, () => undefined);
    expect(asked).toEqual([null, '2']);
    expect(pages.flatMap(({ items }) => items).every(({ status }) => status === 'committed')).toBe(
      true,
    );
  });

  it('of a thread without steps is one empty page', async () => {
    expect(seqs(await loadSteps([], listOf([]).load, () => undefined))).toEqual([]);
  });
});
