import { Problem } from '@uncaged/protocol/problem';
import type { Directory } from '../directory/index.js';
import type { Links, NodeLink } from '../links/index.js';

type Labels = Readonly<Record<string, string>>;

/** Names in one message. */
const NAMES_MAX = 20;

/**
 * Nodes that are connected, have all the labels and let threads be started. Throws, when there is none: unreachable (one that
 * is away would do), forbidden (those that would do start nothing), machine-not-found (none has the labels).
 */
export function candidates(
  { links, directory }: { links: Links; directory: Directory },
  labels: Labels,
): NodeLink[] {
  const fitting = links.list().filter(({ hello }) => hasAll(hello.labels, labels));
  const willing = fitting.filter(({ hello }) => hello.allow.includes('run'));
  if (willing.length > 0) return willing;
  const wanted = Object.keys(labels).length === 0 ? '' : ` with ${shown(labels)}`;
  const away = directory
    .list()
    .filter(({ hello }) => links.get(hello.node) === null && hasAll(hello.labels, labels));
  if (away.length > 0)
    throw new Problem(
      'unreachable',
      `No node${wanted} that starts threads is connected; away: ${names(away.map(({ hello }) => hello.node))}. Try again when one is back.`,
    );
  if (fitting.length > 0)
    throw new Problem(
      'forbidden',
      `The nodes${wanted} let nobody start threads: ${names(fitting.map(({ name }) => name))}. Connect one with \`--allow run\`.`,
    );
  const all = directory.list().map(({ hello }) => `${hello.node} (${shown(hello.labels)})`);
  throw new Problem(
    'machine-not-found',
    all.length === 0
      ? 'No node has ever connected here; start one with `uwf connect`.'
      : `No node has ${shown(labels)}. There are: ${names(all)}.`,
  );
}

function hasAll(labels: Labels, wanted: Labels): boolean {
  return Object.entries(wanted).every(
    ([name, value]) => Object.hasOwn(labels, name) && labels[name] === value,
  );
}

function shown(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}=${value}`);
  return pairs.length === 0 ? 'no labels' : names(pairs);
}

/** `a, b, c`, cut where it gets long. */
export function names(list: readonly string[]): string {
  const more = list.length - NAMES_MAX;
  const first = list.slice(0, NAMES_MAX).join(', ');
  return more > 0 ? `${first} and ${more} more` : first;
}
