import { Problem } from '../problem/index.js';
import type { LinkClock } from './clock.js';
import type { LinkLimits } from './limits.js';
import type { Stream } from './stream.js';

/** Looks within the shorter of the two limits it watches: what is late is noticed at most a tenth of that later. */
const LOOKS = 10;

/**
 * Gives up streams whose answer does not begin (`headMs`) and those on which nothing moves (`idleMs`). One timer for all
 * streams of a link, which runs only while there are any.
 */
export function createSweep(
  clock: LinkClock,
  limits: LinkLimits,
  streams: ReadonlyMap<number, Stream>,
): { start(): void; stop(): void } {
  const everyMs = Math.min(limits.headMs, limits.idleMs) / LOOKS;
  let callOff: (() => void) | null = null;
  let stopped = false;

  const look = () => {
    callOff = null;
    const now = clock.now();
    for (const stream of [...streams.values()]) {
      if (stream.headDueAt !== null && now >= stream.headDueAt) giveUpHead(stream, limits);
      else if (now - stream.movedAt >= limits.idleMs) giveUpIdle(stream, limits);
    }
    if (streams.size > 0) start();
  };
  const start = () => {
    if (callOff === null && !stopped) callOff = clock.after(everyMs, look);
  };
  return {
    start,
    stop() {
      stopped = true;
      callOff?.();
    },
  };
}

function giveUpHead(stream: Stream, { headMs }: LinkLimits): void {
  const message = `no answer within ${headMs} ms`;
  stream.reset(
    'timeout',
    message,
    new Problem('node-timeout', `The node gave ${message}. Try again.`),
  );
}

function giveUpIdle(stream: Stream, { idleMs }: LinkLimits): void {
  const message = `nothing moved for ${idleMs} ms`;
  stream.reset(
    'timeout',
    message,
    new Problem('node-timeout', `The stream was given up: ${message}. Start it again.`),
  );
}
