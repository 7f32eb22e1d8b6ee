import { RELOAD_AGAIN_AFTER_MS, RETRY_PAGE_MS } from './limits.js';

const KEY = 'uwf.reloadedAt';

/**
 * The parts of a page have other names in each build: after an update of the gateway a page that was open cannot load the
 * parts it has not needed yet. It is loaded anew; its address has all that matters, but for what somebody is just typing:
 * that is waited for. `isTyping`: whether something was typed that would be lost.
 */
export function reloadForNewBuild(isTyping: () => boolean): void {
  let isPlanned = false;
  addEventListener('vite:preloadError', () => {
    const last = Number(sessionStorage.getItem(KEY) ?? 0);
    // Once is enough to know that it is something else; then the view says that it could not be loaded.
    if (isPlanned || Date.now() - last < RELOAD_AGAIN_AFTER_MS) return;
    isPlanned = true;
    void untilServed(isTyping).then(() => {
      sessionStorage.setItem(KEY, String(Date.now()));
      location.reload();
    });
  });
}

/** Loaded anew while nobody answers, this page would be the browser's own error, which does not come back by itself. */
async function untilServed(isTyping: () => boolean): Promise<void> {
  for (;;) {
    try {
      const { ok } = await fetch('/', { method: 'HEAD', cache: 'no-store' });
      if (ok && !isTyping()) return;
    } catch (error) {
      // The gateway is away: it is asked again.
      if (!(error instanceof TypeError)) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_PAGE_MS));
  }
}
