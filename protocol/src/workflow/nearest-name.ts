/** Longer texts are no slips of the finger, and comparing costs length × length. */
const COMPARED_MAX = 64;

/** The candidate that `name` was probably meant to be, or null. Letters' case does not count. */
export function nearestName(name: string, candidates: Iterable<string>): string | null {
  if (name.length > COMPARED_MAX) return null;
  let best: string | null = null;
  let bestDistance = Math.max(1, Math.floor(name.length / 3)) + 1;
  for (const candidate of candidates) {
    if (candidate.length > COMPARED_MAX) continue;
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase());
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** Letters to add, drop, replace or swap with their neighbour, one row of the usual table at a time. */
function editDistance(from: string, to: string): number {
  let before: number[] = [];
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 0; i < from.length; i += 1) {
    const next = [i + 1];
    for (let j = 0; j < to.length; j += 1) {
      const replaced = (row[j] ?? 0) + (from[i] === to[j] ? 0 : 1);
      let least = Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1);
      if (i > 0 && j > 0 && from[i] === to[j - 1] && from[i - 1] === to[j]) {
        least = Math.min(least, (before[j - 1] ?? 0) + 1);
      }
      next.push(least);
    }
    before = row;
    row = next;
  }
  return row[to.length] ?? 0;
}
