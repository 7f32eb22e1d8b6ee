import type { LinkClock } from './clock.js';

/** Expires once nothing has touched it for a while. Touching is free: the timer looks at the time only when it fires. */
export type Deadline = {
  touch(): void;
  stop(): void;
};

/**
 * Starts at once. When its time is up it lets what has already arrived be handled first: after a standstill of the process
 * the timers are due before anything is read, and the other side is not to blame for that.
 */
export function createDeadline(clock: LinkClock, limitMs: number, expired: () => void): Deadline {
  let touchedAt = clock.now();
  let callOff: (() => void) | null = null;
  let stopped = false;

  const wait = (ms: number) => {
    callOff = clock.after(ms, () => {
      callOff = null;
      clock.soon(look);
    });
  };
  const look = () => {
    if (stopped) return;
    const leftMs = touchedAt + limitMs - clock.now();
    if (leftMs > 0) {
      wait(leftMs);
      return;
    }
    stopped = true;
    expired();
  };

  wait(limitMs);
  return {
    touch() {
      touchedAt = clock.now();
    },
    stop() {
      stopped = true;
      callOff?.();
    },
  };
}
