import type { LinkClock } from './clock.js';
import { createDeferred, type Deferred } from './deferred.js';
import type { LinkLimits } from './limits.js';

type HeartbeatOwner = {
  readonly clock: LinkClock;
  readonly limits: Pick<LinkLimits, 'heartbeatMs' | 'silenceMs'>;
  ping(nonce: bigint): void;
  /** Nothing has come for `silenceMs`. */
  silent(): void;
};

/**
 * PINGs on this side's own clock, and silence of the other side noticed. One timer for both: a gateway has thousands of links
 * that do nothing else.
 */
export class Heartbeat {
  readonly #owner: HeartbeatOwner;
  #callOff: () => void;
  #beatAt: number;
  #heardAt: number;
  #lastNonce = 0n;
  #lastPingAt = 0;
  #rttMs: number | null = null;
  #probes: Set<Deferred<boolean>> | null = null;
  #stopped = false;

  constructor(owner: HeartbeatOwner) {
    const { clock, limits } = owner;
    this.#owner = owner;
    this.#heardAt = clock.now();
    this.#beatAt = this.#heardAt + limits.heartbeatMs;
    this.#callOff = this.#wait();
  }

  /** A frame has come, whatever it was. */
  heard(): void {
    this.#heardAt = this.#owner.clock.now();
    if (this.#probes !== null) for (const probe of this.#probes) probe.resolve(true);
  }

  pong(nonce: bigint): void {
    if (nonce === this.#lastNonce) this.#rttMs = this.#owner.clock.now() - this.#lastPingAt;
  }

  /** Whether anything is heard within `limitMs` from now; false when it has stopped. */
  async probe(limitMs: number): Promise<boolean> {
    if (this.#stopped) return false;
    const probe = createDeferred<boolean>();
    const callOff = this.#owner.clock.after(limitMs, () => probe.resolve(false));
    this.#probes ??= new Set();
    this.#probes.add(probe);
    this.#ping();
    const alive = await probe.promise;
    callOff();
    this.#probes.delete(probe);
    return alive;
  }

  /** Round trip of the last PING that was answered, ms. */
  get rttMs(): number | null {
    return this.#rttMs;
  }

  stop(): void {
    this.#stopped = true;
    this.#callOff();
    if (this.#probes !== null) for (const probe of this.#probes) probe.resolve(false);
  }

  #ping(): void {
    this.#lastNonce += 1n;
    this.#lastPingAt = this.#owner.clock.now();
    this.#owner.ping(this.#lastNonce);
  }

  #wait(): () => void {
    const { clock, limits } = this.#owner;
    const next = Math.min(this.#beatAt, this.#heardAt + limits.silenceMs);
    return clock.after(Math.max(0, next - clock.now()), () => this.#due());
  }

  #due(): void {
    const { clock, limits } = this.#owner;
    const now = clock.now();
    if (now >= this.#heardAt + limits.silenceMs) {
      // After a standstill of the process the timers are due before anything is read: what has arrived is handled first.
      clock.soon(() => this.#look());
      return;
    }
    if (now >= this.#beatAt) {
      this.#beatAt = now + limits.heartbeatMs;
      this.#ping();
    }
    this.#callOff = this.#wait();
  }

  #look(): void {
    if (this.#stopped) return;
    const { clock, limits } = this.#owner;
    if (clock.now() < this.#heardAt + limits.silenceMs) this.#due();
    else this.#owner.silent();
  }
}
