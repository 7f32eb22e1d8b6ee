export { createLive } from './create-live.js';
export type { Live } from './live.js';
export { keepCacheFresh } from './live-cache.js';
export { placeOf } from './live-state.js';
export { LiveProvider, useLive, useLiveSource, useWatch } from './use-live.js';
