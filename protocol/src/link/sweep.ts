import { Problem } from '../problem/index.js';
import type { LinkClock } from './clock.js';
import type { LinkLimits } from './limits.js';
import type { Stream } from './stream.js';

/** Looks within the shorter of the two limits it watches: what is late is noticed at most a tenth of that later. */
const LOOKS = 10;

type Watched = {
  readonly clock: LinkClock;
  readonly limits: LinkLimits;
  readonly streams: ReadonlyMap<number, Stream>;
};

/**
 * Gives up streams whose answer does not begin (`headMs`) and those on which nothing moves (`idleMs`). One timer for all
 * streams of a link, which runs only while there are any.
 */
export class Sweep {
  readonly #link: Watched;
  #callOff: (() => void) | null = null;
  #stopped = false;

  constructor(link: Watched) {
    this.#link = link;
  }

  start(): void {
    if (this.#callOff !== null || this.#stopped) return;
    const { clock, limits } = this.#link;
    const everyMs = Math.min(limits.headMs, limits.idleMs) / LOOKS;
    this.#callOff = clock.after(everyMs, () => this.#look());
  }

  stop(): void {
    this.#stopped = true;
    this.#callOff?.();
  }

  #look(): void {
    const { clock, limits, streams } = this.#link;
    this.#callOff = null;
    const now = clock.now();
    for (const stream of [...streams.values()]) {
      if (stream.headDueAt !== null && now >= stream.headDueAt) giveUpHead(stream, limits);
      else if (now - stream.movedAt >= limits.idleMs) giveUpIdle(stream, limits);
    }
    if (streams.size > 0) this.start();
  }
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
