import { NEAR_NAMES_MAX, QUOTED_MAX_CHARACTERS } from './limits.js';

/** Edits (insert, delete, replace, swap neighbours) from `a` to `b`. */
function distance(a: string, b: string): number {
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let best = Math.min(previous[j]! + 1, current[j - 1]! + 1, previous[j - 1]! + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        best = Math.min(best, before[j - 2]! + 1);
      }
      current.push(best);
    }
    before = previous;
    previous = current;
  }
  return previous[b.length]!;
}

/** Names that may have been meant by `name`, nearest first, at most three. */
export function nearNames(name: string, known: Iterable<string>): string[] {
  // Names are at most 63 characters: nothing much longer can be near one.
  if (name === '' || name.length > 100) return [];
  const wanted = name.toLowerCase();
  const allowed = Math.max(1, Math.floor(wanted.length / 3));
  const scored: { name: string; score: number }[] = [];
  for (const candidate of new Set(known)) {
    const text = candidate.toLowerCase();
    const edits = distance(wanted, text);
    if (edits <= allowed) scored.push({ name: candidate, score: edits });
    else if (wanted.length >= 3 && (text.includes(wanted) || wanted.includes(text))) {
      scored.push({ name: candidate, score: allowed + edits / 100 });
    }
  }
  scored.sort((a, b) => a.score - b.score || (a.name < b.name ? -1 : 1));
  return scored.slice(0, NEAR_NAMES_MAX).map((entry) => entry.name);
}

/** ` Did you mean "x"?` or nothing; for the end of a message. */
export function didYouMean(name: string, known: Iterable<string>): string {
  const near = nearNames(name, known).map((candidate) => `"${candidate}"`);
  return near.length === 0 ? '' : ` Did you mean ${near.join(' or ')}?`;
}

/** A value for an error text: quoted, escaped, cut. */
export function quoted(value: string): string {
  const characters = [...value.slice(0, QUOTED_MAX_CHARACTERS * 2)];
  const cut =
    characters.length > QUOTED_MAX_CHARACTERS
      ? `${characters.slice(0, QUOTED_MAX_CHARACTERS).join('')}…`
      : characters.join('');
  return JSON.stringify(cut);
}
