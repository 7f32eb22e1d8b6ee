import { Problem, type ProblemCode } from '../problem/index.js';
import type { Goaway, GoawayCode, Hello, Welcome } from './frame-types.js';
import type { LinkLimits } from './limits.js';

/** PINGs of the gateway that must fail to come before its node calls that silence, whatever the node's own limit is. */
const SILENT_BEATS = 2;

/** The highest protocol both sides speak; null: none. */
export function commonProtocol(ours: readonly number[], theirs: readonly number[]): number | null {
  const common = ours.filter((protocol) => theirs.includes(protocol));
  return common.length === 0 ? null : Math.max(...common);
}

export function welcomeOf(
  protocol: number,
  gateway: string,
  generation: number,
  limits: LinkLimits,
): Welcome {
  return {
    protocol,
    gateway,
    generation,
    heartbeatMs: limits.heartbeatMs,
    maxFrame: limits.maxFrameBytes,
    window: limits.windowBytes,
    maxStreams: limits.maxStreams,
  };
}

/** The limits of a node's end: what the gateway said, where it has a say. */
export function limitsOfWelcome(limits: LinkLimits, welcome: Welcome): LinkLimits {
  return {
    ...limits,
    heartbeatMs: welcome.heartbeatMs,
    silenceMs: Math.max(limits.silenceMs, welcome.heartbeatMs * SILENT_BEATS),
    maxFrameBytes: welcome.maxFrame,
    windowBytes: welcome.window,
    maxStreams: welcome.maxStreams,
  };
}

const CODE_OF_GOAWAY: Readonly<Record<GoawayCode, ProblemCode>> = {
  shutdown: 'unreachable',
  replaced: 'name-in-use',
  'name-in-use': 'name-in-use',
  protocol: 'update-needed',
  revoked: 'token-revoked',
  'bad-frame': 'bad-frame',
};

/** What a refused handshake is to either side; `details.goaway` is the code that was sent. */
export function refusedWith({ code, message }: Pick<Goaway, 'code' | 'message'>): Problem {
  return new Problem(CODE_OF_GOAWAY[code], `The gateway refused the node (${code}): ${message}`, {
    details: { goaway: code },
  });
}

/** `details` has what is known of the node, so that it can be shown all the same. */
export function updateNeeded(ours: readonly number[], hello: Hello): Problem {
  const message = `update needed: the gateway speaks protocol ${ours.join(', ')}, the node (version ${hello.version}) ${hello.protocols.join(', ')}. Update the older of the two.`;
  const { node, version, protocols } = hello;
  return new Problem('update-needed', message, {
    details: { goaway: 'protocol', node, version, protocols },
  });
}
