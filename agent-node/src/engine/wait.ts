import type { ThreadControl } from './host.js';

/** Resolves with the next change, after `ms`, or when the signal is aborted, whatever comes first. Throws nothing. */
export async function nextChangeWithin(
  { nextChange }: Pick<ThreadControl, 'nextChange'>,
  signal: AbortSignal,
  ms: number,
): Promise<void> {
  if (signal.aborted) return;
  let timer: NodeJS.Timeout | undefined;
  let wake: () => void = () => undefined;
  const other = new Promise<void>((resolve) => {
    wake = resolve;
    timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', wake, { once: true });
  });
  await Promise.race([nextChange(), other]);
  clearTimeout(timer);
  signal.removeEventListener('abort', wake);
}
