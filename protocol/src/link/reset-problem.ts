import { isProblem, Problem } from '../problem/index.js';
import type { ResetCode } from './frame-types.js';

/** `details` of a problem whose request the node has not begun: it may be sent again, whatever it asks for. */
const NOT_STARTED = { notStarted: true } as const;

/** Whether a request that failed so has provably not been begun, so that it may be repeated. */
export function isNotStarted(error: unknown): boolean {
  return isProblem(error) && error.details.notStarted === true;
}

/** What a RESET from the node means to the request it ends. */
export function problemOfReset(code: ResetCode, message: string): Problem {
  const why = message === '' ? code : `${code}: ${message}`;
  switch (code) {
    case 'refused':
      return new Problem('overloaded', `The node refused the request (${why}). Try again later.`, {
        details: NOT_STARTED,
      });
    case 'timeout':
      return new Problem('node-timeout', `The node gave the request up (${why}). Try again.`);
    case 'too-large':
      return new Problem('too-large', `The node refused the request's body (${why}). Send less.`);
    default:
      return new Problem(
        'node-failed',
        `The node broke its answer off (${why}). Its log says more.`,
      );
  }
}

/** What a RESET from the gateway means to the handler it stops. */
export function cancelledByGateway(code: ResetCode, message: string): Problem {
  const why = message === '' ? code : `${code}: ${message}`;
  return new Problem('cancelled', `The gateway called the request off (${why}).`);
}

/** The link has ended under a stream; `started` is false when its request cannot have been begun. */
export function linkLost(why: string, started: boolean): Problem {
  return new Problem(
    'link-lost',
    `The link between gateway and node ended: ${why}. Try again once the node is back.`,
    started ? {} : { details: NOT_STARTED },
  );
}

export function noNewStreams(why: string): Problem {
  return new Problem(
    'unreachable',
    `The node takes no new requests on this link: ${why}. Try again in a moment.`,
    { details: NOT_STARTED },
  );
}

export function tooManyStreams(maxStreams: number): Problem {
  return new Problem(
    'overloaded',
    `${maxStreams} requests are under way to this node, and no more are taken at once. Try again in a moment.`,
    { details: NOT_STARTED },
  );
}
