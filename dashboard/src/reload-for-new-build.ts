import { RELOAD_AGAIN_AFTER_MS } from './limits.js';

const KEY = 'uwf.reloadedAt';

/**
 * The parts of a page have other names in each build: after an update of the gateway a page that was open cannot load the
 * parts it has not needed yet. It is loaded anew; its address has all that matters.
 */
export function reloadForNewBuild(): void {
  addEventListener('vite:preloadError', (event) => {
    const last = Number(sessionStorage.getItem(KEY) ?? 0);
    // Once is enough to know that it is something else; then the view says that it could not be loaded.
    if (Date.now() - last < RELOAD_AGAIN_AFTER_MS) return;
    sessionStorage.setItem(KEY, String(Date.now()));
    event.preventDefault();
    location.reload();
  });
}
