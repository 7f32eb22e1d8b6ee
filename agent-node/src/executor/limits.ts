/**
 * Timers of the executor. Tests inject others through `UWF_LIMITS` (JSON of the same names).
 */
export const executorLimits = {
  /** The renewal thread stamps all leases of its worker. */
  renewEveryMs: 1_000,
  /** A lease not renewed for so long is nobody's: fifteen missed renewals. */
  deadAfterMs: 15_000,
  /** The main thread must have moved within this time, or its leases are left to expire. */
  stuckAfterMs: 60_000,
  /** A kill not obeyed in this time ends the whole worker. */
  killObeyedMs: 10_000,
  /** How often a worker looks whether another process has written. */
  observeEveryMs: 50,
  /** TERM to KILL of a process tree. */
  killGraceMs: 5_000,
  /** A spawned worker has registered within this time, or did not start. */
  workerStartMs: 15_000,
  /** `kill` waits so long for the owner before it says that it is still going on. */
  killWaitMs: 30_000,
  /** What could not be written for want of room is tried again this often. */
  settleRetryMs: 1_000,
  /** A queued thread is taken within this time, or nobody is there to take it. */
  ownerWaitMs: 3_000,
} as const;

export type ExecutorLimits = { [K in keyof typeof executorLimits]: number };

/** Defaults, overridden by what `UWF_LIMITS` names. */
export function readLimits(env: NodeJS.ProcessEnv): ExecutorLimits {
  const given = env.UWF_LIMITS;
  if (given === undefined || given === '') return { ...executorLimits };
  return { ...executorLimits, ...(JSON.parse(given) as Partial<ExecutorLimits>) };
}

/** Task that a fork is given, bytes: it stands in one node of the chain, which is read whole; longer texts belong in a file. */
export const FORK_PROMPT_MAX_BYTES = 1024 * 1024;

/** Roles that an error names, at most: definitions have a dozen. */
export const ROLES_NAMED_MAX = 50;
