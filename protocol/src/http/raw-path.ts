import { Problem } from '../problem/index.js';

const DOTS = /^\.{1,2}$/;
/** Slashes either way, and control characters. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for
const UNSAFE = /[/\\\u0000-\u001f\u007f]/;
/** What most paths are made of: nothing in it can mean another place. */
const PLAIN = /^(?:\/[A-Za-z0-9_~-]*)+(?:\?|$)/;

/**
 * Refuses a request target whose path means another place once decoded, before anything reads it. To be given as it stood in
 * the request line: a URL has lost its dot segments. Throws invalid-argument.
 */
export function checkRawPath(target: string): void {
  if (PLAIN.test(target)) return;
  const end = target.search(/[?#]/);
  const path = end < 0 ? target : target.slice(0, end);
  if (!path.startsWith('/')) throw refused('it must begin with "/"');
  for (const segment of path.slice(1).split('/')) {
    const text = decode(segment);
    if (DOTS.test(text)) throw refused('it must not hold "." or ".." as a part');
    if (UNSAFE.test(text))
      throw refused('a part of it must not hold slashes or control characters, encoded or not');
  }
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch (error) {
    if (error instanceof URIError) throw refused('its percent-encoding is not valid UTF-8');
    throw error;
  }
}

function refused(why: string): Problem {
  return new Problem('invalid-argument', `The path of the request cannot be used: ${why}.`);
}
