import type { Hash, ThreadId } from '@uncaged/protocol/ids';
import { invalidPack } from './format.js';
import type { PackThread } from './rows.js';

/** The file of each bundle that a thread ran, and no other. Throws invalid-pack. */
export function checkBundles(
  threads: readonly PackThread[],
  bundles: ReadonlySet<Hash>,
  at: number,
): void {
  const needed = new Set(
    threads.filter(({ row }) => row.kind === 'bundle').map(({ row }) => row.version),
  );
  for (const hash of needed)
    if (!bundles.has(hash)) throw invalidPack(`the file of bundle ${hash} is missing`, at);
  for (const hash of bundles)
    if (!needed.has(hash)) throw invalidPack(`no thread needs the file of bundle ${hash}`, at);
}

/** The one that the pack is of comes first; nested threads come with those whose steps they are. Throws invalid-pack. */
export function checkThreads(all: readonly PackThread[], first: ThreadId | null, at: number): void {
  const named = new Set<string | null>([first]);
  for (const { steps } of all) for (const { childThread } of steps) named.add(childThread);
  const seen = new Set<string>();
  if (all[0]?.row.id !== first) throw invalidPack(`its first thread is not ${first}`, at);
  for (const { row } of all) {
    if (seen.has(row.id)) throw invalidPack(`thread ${row.id} comes twice`, at);
    if (!named.has(row.id)) throw invalidPack(`thread ${row.id} belongs to no other in it`, at);
    seen.add(row.id);
  }
}
