/** Entry of a map keyed by users' names: never what its prototype has (`constructor` is a fine name for a role). */
export function ownEntry<T>(map: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(map, key) ? map[key] : undefined;
}
