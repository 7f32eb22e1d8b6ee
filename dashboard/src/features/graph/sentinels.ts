/** What stands in a graph's edges for where a thread begins and where it is over. */
export const START = '__start__';
export const END = '__end__';

/** Conditions that hold whatever the outcome was: of a definition and of a table in code. */
const ANY = '_';
const FALLBACK = 'FALLBACK';

/** A node's name for people. */
export function wordOf(role: string): string {
  if (role === START) return '▶ start';
  return role === END ? '■ end' : role;
}

/** A condition for people. */
export function conditionWord(condition: string): string {
  if (condition === ANY) return 'always';
  return condition === FALLBACK ? 'otherwise' : condition;
}

export function isUnconditional(condition: string): boolean {
  return condition === ANY || condition === FALLBACK;
}
