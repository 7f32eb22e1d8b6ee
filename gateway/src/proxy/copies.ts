import type { ThreadId } from '@uncaged/protocol/ids';
import type { Links, NodeLink } from '../links/index.js';
import { COPIES_MAX, COPY_KEPT_MS } from './limits.js';

/**
 * Nodes with a copy of a thread that nobody has itself. Believed for some seconds, and only while the same nodes are connected:
 * the one that has the thread may be among those that come.
 */
export type Copies = {
  get: (id: ThreadId) => NodeLink | null;
  set: (id: ThreadId, link: NodeLink) => void;
  drop: (id: ThreadId) => void;
};

/** `now`: ms since epoch. */
export function createCopies({
  links,
  now,
}: {
  links: Pick<Links, 'list'>;
  now: () => number;
}): Copies {
  const copies = new Map<ThreadId, { link: NodeLink; connected: string; until: number }>();
  const connectedNow = () =>
    links
      .list()
      .map(({ name, generation }) => `${name} ${generation}`)
      .sort()
      .join();
  return {
    get(id) {
      const copy = copies.get(id);
      if (copy === undefined) return null;
      if (copy.until > now() && copy.connected === connectedNow()) return copy.link;
      copies.delete(id);
      return null;
    },
    set(id, link) {
      copies.delete(id);
      copies.set(id, { link, connected: connectedNow(), until: now() + COPY_KEPT_MS });
      if (copies.size <= COPIES_MAX) return;
      for (const oldest of copies.keys()) {
        copies.delete(oldest);
        return;
      }
    },
    drop: (id) => void copies.delete(id),
  };
}
