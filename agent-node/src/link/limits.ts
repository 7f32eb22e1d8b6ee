import { LINK_LIMITS, type LinkLimits } from '@uncaged/protocol/link';

/** What a node adds to the limits of a link. Tests inject others through `UWF_LIMITS` (JSON of the same names). */
export const connectionLimits = {
  /** Longest wait before the first new attempt; doubles with each failure. A restarted gateway is back within a second or two. */
  retryMinMs: 500,
  /** Longest wait between two attempts: a gateway that is back after hours is found within this time. */
  retryMaxMs: 30_000,
  /** A link that has held for so long makes the next loss the first one again. */
  healthyMs: 60_000,
  /** What a gateway may ask a node to wait by Retry-After, at most: a wrong header must not keep a node away. */
  retryAfterMaxMs: 60_000,
  /** Requests under way may go on for so long after Ctrl-C; who pressed it is waiting. */
  drainMs: 5_000,
  /** Requests on a link the gateway gives up may go on for so long; by then a new link is there. */
  retireMs: 30_000,
  /** The body of an answer that is no WebSocket is waited for so long: its status says enough. */
  refusalMs: 1_000,
  /** Of such a body, bytes: a problem document has a few hundred. */
  refusalMaxBytes: 16 * 1024,
} as const;

/** Of what a gateway says of a refusal, shown to people. */
export const REFUSAL_MAX_CHARACTERS = 500;

/** Of the path of a request, in the log. */
export const PATH_SHOWN_CHARACTERS = 200;

export type NodeLinkLimits = LinkLimits & { readonly [K in keyof typeof connectionLimits]: number };

/** Defaults, overridden by what `UWF_LIMITS` names. */
export function readLinkLimits(env: Readonly<Record<string, string | undefined>>): NodeLinkLimits {
  const defaults = { ...LINK_LIMITS, ...connectionLimits };
  const given = env.UWF_LIMITS;
  if (given === undefined || given === '') return defaults;
  return { ...defaults, ...(JSON.parse(given) as Partial<NodeLinkLimits>) };
}
