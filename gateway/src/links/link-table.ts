import type { LinkChange, Links, NodeLink } from './types.js';

/** A link and how it stands. */
export type Entry = {
  readonly link: NodeLink;
  /** When it was admitted, ms since epoch. */
  readonly since: number;
  /** The node has said that it leaves: whoever comes next takes its name over. */
  leaving: boolean;
  /** It gave no sign when it was asked for one. */
  silent: boolean;
};

/**
 * The links there are: one that is current for each name, and older ones until they have ended. The one place that says who
 * is current, and that tells of it.
 */
export type LinkTable = Pick<Links, 'list' | 'onChange'> & {
  current(name: string): Entry | null;
  /** All, older ones too. */
  all(): Entry[];
  /** Makes it the current one of its name; returns the one that was. */
  put(entry: Entry): Entry | null;
  /** It has ended. Of an older one nobody is told. True when it was the current one. */
  remove(entry: Entry): boolean;
};

/** `first` is told before the listeners; `failed` what a listener threw: the others are told all the same. */
export function createLinkTable(
  first: (change: LinkChange) => void,
  failed: (error: unknown) => void,
): LinkTable {
  const currents = new Map<string, Entry>();
  const all = new Set<Entry>();
  const listeners = new Set<(change: LinkChange) => void>();

  const tell = (change: LinkChange) => {
    first(change);
    for (const listener of [...listeners]) {
      try {
        listener(change);
      } catch (error) {
        failed(error);
      }
    }
  };
  return {
    current: (name) => currents.get(name) ?? null,
    all: () => [...all],
    list: () =>
      [...currents.values()].map(({ link }) => link).sort((a, b) => (a.name < b.name ? -1 : 1)),
    put(entry) {
      const { name } = entry.link;
      const older = currents.get(name) ?? null;
      currents.set(name, entry);
      all.add(entry);
      tell({ type: 'up', link: entry.link });
      return older;
    },
    remove(entry) {
      all.delete(entry);
      const { name } = entry.link;
      if (currents.get(name) !== entry) return false;
      currents.delete(name);
      tell({ type: 'down', link: entry.link });
      return true;
    },
    onChange(listener) {
      // Its own key: the same function may listen twice.
      const told = (change: LinkChange) => listener(change);
      listeners.add(told);
      return () => listeners.delete(told);
    },
  };
}
