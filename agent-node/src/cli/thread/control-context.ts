import { type ControlContext, readLimits, workerFile } from '../../executor/index.js';
import type { StoreCommandInput } from '../run-command.js';

/** What commands that steer a thread need beside its id. */
export function controlContext({ store, clock, env }: StoreCommandInput): ControlContext {
  return { store, clock, limits: readLimits(env), program: { file: workerFile, env: { ...env } } };
}
