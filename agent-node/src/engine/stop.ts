import type { PauseReason } from '../store/index.js';

/**
 * Why a thread must not go on just now. Thrown out of `runRole` and through workflow code; what that code makes of it
 * does not matter, the driver remembers it.
 */
export class PauseThread extends Error {
  override readonly name = 'PauseThread';
  constructor(readonly reason: PauseReason) {
    super(`thread pauses: ${reason}`);
  }
}
