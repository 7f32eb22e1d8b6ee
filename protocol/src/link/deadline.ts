import type { LinkClock } from './clock.js';

/**
 * Expires once nothing has touched it for a while. Touching, pausing and resuming are all but free: the timer looks at the time
 * only when it fires, and one that runs while nothing is waited for is left to find that out.
 */
export class Deadline {
  readonly #clock: LinkClock;
  readonly #limitMs: number;
  readonly #expired: () => void;
  #touchedAt: number;
  #callOff: (() => void) | null = null;
  #state: 'running' | 'paused' | 'stopped' = 'running';

  /** Starts at once. */
  constructor(clock: LinkClock, limitMs: number, expired: () => void) {
    this.#clock = clock;
    this.#limitMs = limitMs;
    this.#expired = expired;
    this.#touchedAt = clock.now();
    this.#wait(limitMs);
  }

  touch(): void {
    this.#touchedAt = this.#clock.now();
  }

  /** Does not expire until it is resumed. */
  pause(): void {
    if (this.#state === 'running') this.#state = 'paused';
  }

  /** Has its whole time again. */
  resume(): void {
    if (this.#state !== 'paused') return;
    this.#state = 'running';
    this.touch();
    if (this.#callOff === null) this.#wait(this.#limitMs);
  }

  stop(): void {
    this.#state = 'stopped';
    this.#callOff?.();
  }

  #wait(ms: number): void {
    this.#callOff = this.#clock.after(ms, () => {
      this.#callOff = null;
      // After a standstill of the process the timers are due before anything is read, and the other side is not to blame for
      // that: what has already arrived is handled first.
      if (this.#state === 'running') this.#clock.soon(() => this.#look());
    });
  }

  #look(): void {
    if (this.#state !== 'running' || this.#callOff !== null) return;
    const leftMs = this.#touchedAt + this.#limitMs - this.#clock.now();
    if (leftMs > 0) {
      this.#wait(leftMs);
      return;
    }
    this.#state = 'stopped';
    this.#expired();
  }
}
