import type { Live } from './features/live/index.js';
import { FETCH_PARTS_AFTER_MS } from './limits.js';

/** Addresses of what the page does not begin with; the build writes them into index.html, with spaces between. */
export function namesOfParts(page: Document): string[] {
  const content = page.querySelector<HTMLMetaElement>('meta[name="parts"]')?.content ?? '';
  return content.split(' ').filter((name) => name !== '');
}

/**
 * Fetches parts of the page into the browser's cache, one after the other, once the page is live: whoever needs one later has
 * it also while the gateway is away. They are not imported: a part whose import failed once is not tried again by the browser,
 * while a fetch that failed is simply made again.
 */
export function fetchParts(live: Live, parts: readonly string[]): void {
  const waiting = [...parts];
  let isBusy = false;

  async function next(): Promise<void> {
    if (isBusy) return;
    isBusy = true;
    while (waiting.length > 0 && live.state().connection.state === 'live')
      if (await fetched(waiting[0]!)) waiting.shift();
      else break;
    isBusy = false;
  }

  const later = () => void setTimeout(() => void next(), FETCH_PARTS_AFTER_MS);
  live.onChange(({ type }) => {
    if (type === 'snapshot' && waiting.length > 0) later();
  });
  // It may be live already.
  later();
}

/** False: nobody answered. A part that is not there any more is of an older build, and is told of by whoever needs it. */
async function fetched(part: string): Promise<boolean> {
  try {
    const response = await fetch(part, { priority: 'low' });
    await response.arrayBuffer();
    return true;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}
