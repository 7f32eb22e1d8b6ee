import type { StepJson } from '@uncaged/protocol/api';
import type { StepPage } from '../../api/index.js';

/** A page that was loaded, and what led to it. */
export type LoadedPage = StepPage & { cursor: string | null };

/**
 * The steps of a thread from what was loaded before: pages that are full of steps that are over stay as they are, the others
 * are asked for again, and what follows them. `onPage` is called with all so far after each page.
 */
export async function loadSteps(
  before: readonly LoadedPage[],
  load: (cursor: string | null) => Promise<StepPage>,
  onPage: (pages: LoadedPage[]) => void,
): Promise<LoadedPage[]> {
  const kept = before.slice(0, firstOpenPage(before));
  const pages = [...kept];
  let cursor = pages.length === 0 ? null : (pages.at(-1)?.nextCursor ?? null);
  do {
    const page = await load(cursor);
    pages.push({ ...page, cursor });
    cursor = page.nextCursor;
    if (cursor !== null) onPage([...pages]);
  } while (cursor !== null);
  return pages;
}

function firstOpenPage(pages: readonly LoadedPage[]): number {
  const open = pages.findIndex(
    ({ items, nextCursor }) => nextCursor === null || items.some(isOpen),
  );
  return open === -1 ? pages.length : open;
}

function isOpen({ status }: StepJson): boolean {
  return status === 'running';
}
