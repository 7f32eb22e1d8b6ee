import type { LinkClock } from '@uncaged/protocol/link';
import type { Problem, ProblemCode } from '@uncaged/protocol/problem';
import type { NodeLinkLimits } from './limits.js';

/** Trying again changes nothing about these. */
const FINAL: ReadonlySet<ProblemCode> = new Set([
  'unauthorized',
  'forbidden',
  'token-revoked',
  'update-needed',
  'invalid-argument',
]);

export function isFinal(problem: Problem): boolean {
  return FINAL.has(problem.code);
}

export type RetryInput = {
  readonly problem: Problem;
  /** Failures and losses in a row, this one included. */
  readonly failures: number;
  readonly gateways: number;
  /** 0 ≤ n < 1 */
  readonly random: () => number;
  readonly limits: Pick<NodeLinkLimits, 'retryMinMs' | 'retryMaxMs'>;
};

/**
 * How long to wait, ms: any time (full jitter: nodes that lost one gateway together do not come back together) up to a limit
 * that doubles with each round over all gateways. Within a round the next one is tried soon. What the gateway asks for comes on top;
 * a name that another node has is asked for as seldom as can be.
 */
export function retryDelayMs({ problem, failures, gateways, random, limits }: RetryInput): number {
  const { retryMinMs, retryMaxMs } = limits;
  if (problem.code === 'name-in-use') return retryMaxMs;
  const round = Math.floor((failures - 1) / gateways);
  const isRoundOver = failures % gateways === 0;
  const longest = isRoundOver ? Math.min(retryMinMs * 2 ** round, retryMaxMs) : retryMinMs;
  const asked = problem.details.retryAfterMs;
  return Math.round((typeof asked === 'number' ? asked : 0) + random() * longest);
}

/** Resolves when the time is over or the signal aborted, whichever is first. */
export function sleep(ms: number, clock: LinkClock, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const wake = () => {
      callOff();
      signal.removeEventListener('abort', wake);
      resolve();
    };
    const callOff = clock.after(ms, wake);
    signal.addEventListener('abort', wake, { once: true });
  });
}
