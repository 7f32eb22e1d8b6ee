import type { LinkClock } from './clock.js';
import { createDeadline } from './deadline.js';
import { createDeferred, type Deferred } from './deferred.js';

type HeartbeatOptions = {
  readonly clock: LinkClock;
  readonly heartbeatMs: number;
  readonly silenceMs: number;
  ping(nonce: bigint): void;
  /** Nothing has come for `silenceMs`. */
  silent(): void;
};

export type Heartbeat = {
  /** A frame has come, whatever it was. */
  heard(): void;
  pong(nonce: bigint): void;
  /** Whether anything is heard within `limitMs` from now; false when it has stopped. */
  probe(limitMs: number): Promise<boolean>;
  /** Round trip of the last PING that was answered, ms. */
  rttMs(): number | null;
  stop(): void;
};

/** PINGs on this side's own clock, and silence of the other side noticed. */
export function createHeartbeat(options: HeartbeatOptions): Heartbeat {
  const { clock, heartbeatMs } = options;
  const silence = createDeadline(clock, options.silenceMs, options.silent);
  const probes = new Set<Deferred<boolean>>();
  let stopped = false;
  let rttMs: number | null = null;
  let lastNonce = 0n;
  let lastPingAt = 0;

  const ping = () => {
    lastNonce += 1n;
    lastPingAt = clock.now();
    options.ping(lastNonce);
  };
  const beat = () => {
    ping();
    callOff = clock.after(heartbeatMs, beat);
  };
  let callOff = clock.after(heartbeatMs, beat);

  return {
    heard() {
      silence.touch();
      for (const probe of probes) probe.resolve(true);
    },
    pong(nonce) {
      if (nonce === lastNonce) rttMs = clock.now() - lastPingAt;
    },
    async probe(limitMs) {
      if (stopped) return false;
      const probe = createDeferred<boolean>();
      const callOffProbe = clock.after(limitMs, () => probe.resolve(false));
      probes.add(probe);
      ping();
      const alive = await probe.promise;
      callOffProbe();
      probes.delete(probe);
      return alive;
    },
    rttMs: () => rttMs,
    stop() {
      stopped = true;
      callOff();
      silence.stop();
      for (const probe of probes) probe.resolve(false);
    },
  };
}
