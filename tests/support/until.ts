import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Waits for a condition, looking often, up to a limit that only something that hangs reaches; the error names what did not come,
 * and, where `what` is a function, what there was instead.
 */
export async function until<T>(
  what: string | (() => string),
  look: () => T | null | undefined | false | Promise<T | null | undefined | false>,
  limitMs = 60_000,
): Promise<T> {
  const deadline = performance.now() + limitMs;
  for (;;) {
    const value = await look();
    if (value !== null && value !== undefined && value !== false) return value;
    if (performance.now() > deadline)
      throw new Error(`not within ${limitMs} ms: ${typeof what === 'string' ? what : what()}`);
    await sleep(10);
  }
}
