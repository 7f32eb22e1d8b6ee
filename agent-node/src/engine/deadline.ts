import { Problem } from '@uncaged/protocol/problem';

export type Deadline = { signal: AbortSignal; clear: () => void };

/** A signal that follows `parent` and, after `timeoutMs`, aborts by itself with a `timeout` Problem. Null: no limit. */
export function createDeadline(
  parent: AbortSignal,
  timeoutMs: number | null,
  what: string,
): Deadline {
  const controller = new AbortController();
  const follow = () => controller.abort(parent.reason);
  if (parent.aborted) follow();
  parent.addEventListener('abort', follow, { once: true });
  const timer =
    timeoutMs === null
      ? null
      : setTimeout(() => {
          controller.abort(
            new Problem(
              'timeout',
              `${what} took longer than ${timeoutMs} ms; raise its timeout in the workflow`,
            ),
          );
        }, timeoutMs);
  return {
    signal: controller.signal,
    clear: () => {
      parent.removeEventListener('abort', follow);
      if (timer !== null) clearTimeout(timer);
    },
  };
}
