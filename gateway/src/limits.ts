import { LINK_LIMITS, type LinkLimits } from '@uncaged/protocol/link';

/** Every limit of a gateway, with its unit in the name and its reason beside it; tests inject others (UWF_LIMITS, JSON). */
export type GatewayLimits = {
  link: LinkLimits;
  /** How long a node may take to answer what is asked of all of them; whoever is slower is named as unreachable. */
  fanOutMs: number;
  /** A node that has been away for less is taken to be dialling: its longest wait between two attempts, and as much again. */
  backSoonMs: number;
  /** An older link of the same name that gives no sign for so long has been left behind by its node. */
  probeMs: number;
  /** Links in their handshake at once; more are told to come back: a thousand nodes must not all be greeted in one second. */
  handshakesMax: number;
  /** A body that is kept in memory: that of a route the gateway answers itself. Packs go to nodes as they come. */
  bodyMaxBytes: number;
  /** What a follower of events may leave unread before it is cut off: some hundred events. */
  backlogMaxBytes: number;
  /** A comment on an event stream: shorter than the idle time-outs of proxies, 30 s and more. */
  commentEveryMs: number;
  /** A client that has not sent the head of its request by then never will. */
  headersMs: number;
  /** How often connections are held against that. */
  connectionsCheckMs: number;
  /** A body for the gateway itself must be there by then: `bodyMaxBytes` over a slow line. */
  bodyMs: number;
  /** On shutdown, what is open may go on for so long. */
  drainMs: number;
  /** Wrong tokens of an address before it has to wait, and how long. */
  failuresMax: number;
  failureWindowMs: number;
  /** Bodies towards nodes are bounded by their routes; this is for what may be large (packs). */
  uploadMaxBytes: number;
  /** How often it is looked whether tokens were revoked: a look costs microseconds. */
  revocationLookMs: number;
};

const MIB = 1024 * 1024;
const SECOND_MS = 1000;

export const GATEWAY_LIMITS: GatewayLimits = {
  link: LINK_LIMITS,
  fanOutMs: 2 * SECOND_MS,
  backSoonMs: 60 * SECOND_MS,
  probeMs: 5 * SECOND_MS,
  handshakesMax: 64,
  bodyMaxBytes: 16 * MIB,
  backlogMaxBytes: 256 * 1024,
  commentEveryMs: 15 * SECOND_MS,
  headersMs: 30 * SECOND_MS,
  connectionsCheckMs: 2 * SECOND_MS,
  bodyMs: 300 * SECOND_MS,
  drainMs: 5 * SECOND_MS,
  failuresMax: 10,
  failureWindowMs: 60 * SECOND_MS,
  uploadMaxBytes: Number.MAX_SAFE_INTEGER,
  revocationLookMs: SECOND_MS,
};

/** Defaults, overridden by what `UWF_LIMITS` names; `link` may name some of its own. */
export function readLimits(env: NodeJS.ProcessEnv): GatewayLimits {
  const text = env.UWF_LIMITS;
  if (text === undefined || text === '') return GATEWAY_LIMITS;
  const { link, ...given } = JSON.parse(text) as Partial<GatewayLimits>;
  return { ...GATEWAY_LIMITS, ...given, link: { ...LINK_LIMITS, ...link } };
}
