import { listSchema, nodeSchema, threadSummarySchema } from '@uncaged/protocol/api';
import type { LinkClock } from '@uncaged/protocol/link';
import { Problem } from '@uncaged/protocol/problem';
import type { Directory } from '../directory/index.js';
import type { NodeLink } from '../links/index.js';
import type { Log } from '../log.js';
import { askJson } from './ask-node.js';
import { logOnce, reasonOf } from './failure-log.js';
import type { EventLimits } from './limits.js';

/** Keeps what the directory shows of a node while it is away. */
export type SeenLook = {
  /** Something happened on the node: it is looked at soon, but not all the time. */
  changed: () => void;
  /** What the directory has is as new as the last event; or the node did not answer in time, at most twice `fanOutMs`. */
  renewed: () => Promise<void>;
  stop: () => void;
};

type SeenInput = {
  link: NodeLink;
  directory: Directory;
  clock: LinkClock;
  limits: EventLimits & { fanOutMs: number };
  log: Log;
};

/** As many as the directory keeps. */
const THREADS_MAX = 50;
const THREADS_PATH = `/api/threads?limit=${THREADS_MAX}`;
const threadsSchema = listSchema(threadSummarySchema);

export function createSeenLook({ link, directory, clock, limits, ...rest }: SeenInput): SeenLook {
  const log = logOnce(rest.log);
  let isStopped = false;
  let looking: Promise<void> | null = null;
  /** What happened on the node since it was last looked at is not known here. */
  let isDirty = true;
  /** Looks in a row that came to nothing: a node that cannot answer is not asked all the time. */
  let failures = 0;
  /** Null: it was never looked. */
  let lastAt: number | null = null;
  let callOff: (() => void) | null = null;
  let leaving = new AbortController();

  const begin = (): void => {
    callOff?.();
    callOff = null;
    looking = look();
  };
  const look = async (): Promise<void> => {
    isDirty = false;
    lastAt = clock.now();
    const asking = new AbortController();
    leaving = asking;
    const { signal } = asking;
    const stopLimit = clock.after(limits.fanOutMs, () =>
      asking.abort(new Problem('node-timeout', `No answer came within ${limits.fanOutMs} ms.`)),
    );
    try {
      const [node, threads] = await Promise.all([
        askJson({ link, path: '/api/node', signal }, nodeSchema, limits.maxJsonBytes),
        askJson({ link, path: THREADS_PATH, signal }, threadsSchema, limits.maxJsonBytes),
      ]);
      failures = 0;
      if (!isStopped)
        directory.setSeen(link.name, { node, threads: threads.items.slice(0, THREADS_MAX) });
    } catch (error) {
      // The other question may still be open.
      asking.abort(error);
      isDirty = true;
      failures += 1;
      if (!isStopped) log('2MZ8RC5P', `${link.name}: its state is not kept: ${reasonOf(error)}`);
    } finally {
      stopLimit();
      looking = null;
    }
    if (isDirty) changed();
  };
  const changed = (): void => {
    isDirty = true;
    if (isStopped || looking !== null || callOff !== null) return;
    // At once the first time: a node may be gone again within a second.
    const everyMs = Math.min(limits.seenMaxMs, limits.seenEveryMs * 2 ** failures);
    const waitMs =
      lastAt === null ? 0 : Math.max(limits.seenFirstMs, lastAt + everyMs - clock.now());
    callOff = clock.after(waitMs, begin);
  };
  return {
    changed,
    renewed: async () => {
      // What is under way may have been asked for before the last event.
      await looking;
      if (isDirty && !isStopped && looking === null) begin();
      await looking;
    },
    stop: () => {
      isStopped = true;
      callOff?.();
      leaving.abort(new Problem('cancelled', 'The link has ended.'));
    },
  };
}
