import { nearestName } from '@uncaged/protocol/workflow';
import { NEAR_NAMES_MAX, PART_MIN_CHARACTERS, QUOTED_MAX_CHARACTERS } from './limits.js';

/** Names that may have been meant by `name`, nearest first, at most three. */
export function nearNames(name: string, known: Iterable<string>): string[] {
  const left = new Set(known);
  const near: string[] = [];
  while (near.length < NEAR_NAMES_MAX) {
    const next = nearestName(name, left) ?? partOf(name, left);
    if (next === null) break;
    near.push(next);
    left.delete(next);
  }
  return near;
}

/** `develop` for `develop-app` and the reverse. */
function partOf(name: string, candidates: Iterable<string>): string | null {
  for (const candidate of candidates) {
    const [short, long] = name.length < candidate.length ? [name, candidate] : [candidate, name];
    if (short.length >= PART_MIN_CHARACTERS && long.includes(short)) return candidate;
  }
  return null;
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
