export { isDiskFull } from './disk-full.js';
export {
  bootId,
  isProcessDead,
  monotonicMs,
  type ProcessIdentity,
  processIdentity,
} from './identity.js';
export { END_GRACE_MS } from './limits.js';
export { type ProcessEnd, type RunProcessOptions, runProcess } from './spawn.js';
export {
  type EndTreeOptions,
  endTree,
  MARKER_VARIABLE,
  type ProcessTree,
  stepMarker,
} from './tree.js';
