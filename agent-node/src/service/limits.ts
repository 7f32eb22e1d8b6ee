import { GC_GRACE_MS } from '../store/index.js';

/** Every limit of the node service, with its unit in the name and its reason beside it; tests inject others. */
export const serviceLimits = {
  /** How often the house is kept: threads of dead owners, queued ones that nobody takes. A look costs well under one ms. */
  houseEveryMs: 1_000,
  /** How often it is looked whether the store is still the one that was opened; a look costs microseconds. */
  placeEveryMs: 250,
  /** A step that was interrupted so often in a row is what ends its workers: doing it again would go on for ever. */
  interruptedMax: 3,
  /** A worker that did not start is tried again after so long: why it does not will rarely change sooner. */
  workerRetryMs: 30_000,
  /** How often finished threads beyond `config.retention` are removed: hours matter there, not minutes. */
  retentionEveryMs: 60 * 60 * 1_000,
  /** How often it is looked whether that is due, by this process or another one. */
  retentionLookMs: 60 * 1_000,
  /** What it collects then was touched longer ago than this. */
  retentionGraceMs: GC_GRACE_MS,
  /** A removal that meets another process's write is tried again for so long. */
  retentionBusyMs: 5_000,
  /** On closing, what the house is being kept with may take so long to end. */
  closeWaitMs: 500,
} as const;

export type ServiceLimits = { readonly [K in keyof typeof serviceLimits]: number };

/** Defaults, overridden by what `UWF_LIMITS` (JSON) names. */
export function readServiceLimits(env: NodeJS.ProcessEnv): ServiceLimits {
  const given = JSON.parse(env.UWF_LIMITS || '{}') as Record<string, number>;
  const known = Object.entries(given).filter(([name]) => Object.hasOwn(serviceLimits, name));
  return { ...serviceLimits, ...Object.fromEntries(known) };
}

/** An API's connection waits so long by itself: all other requests stand still meanwhile, and the API tries again. */
export const API_BUSY_TIMEOUT_MS = 50;
