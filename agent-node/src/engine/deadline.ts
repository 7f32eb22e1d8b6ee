import { Problem } from '@uncaged/protocol/problem';

export type Deadline = { signal: AbortSignal; clear: () => void };

/**
 * `parent` itself where there is no limit; else a signal that follows it and, after `timeoutMs`, aborts by itself with a
 * `timeout` Problem naming `what`.
 */
export function createDeadline(
  parent: AbortSignal,
  timeoutMs: number | null,
  what: string,
): Deadline {
  if (timeoutMs === null) return { signal: parent, clear: () => undefined };
  const controller = new AbortController();
  const follow = () => controller.abort(parent.reason);
  if (parent.aborted) follow();
  parent.addEventListener('abort', follow, { once: true });
  const timer = setTimeout(() => {
    const text = `${what} took longer than ${timeoutMs} ms; raise its timeout in the workflow`;
    controller.abort(new Problem('timeout', text));
  }, timeoutMs);
  return {
    signal: controller.signal,
    clear: () => {
      parent.removeEventListener('abort', follow);
      clearTimeout(timer);
    },
  };
}
