import type { IncomingMessage } from 'node:http';
import { malformed } from './problems.js';

const NAME = 'authorization';
const BEARER = /^bearer(?:[ \t]|$)/i;
const VALUE = /^bearer[ \t]+([\x21-\x7e]+)[ \t]*$/i;

/**
 * What `Authorization: Bearer …` says; null: nothing, or another scheme (that of a proxy in front, say). Throws unauthorized when
 * it cannot be understood: empty, several words, or sent twice (which one a proxy looked at is not known).
 */
export function readBearer({ headers, rawHeaders }: IncomingMessage): string | null {
  const { authorization } = headers;
  if (authorization === undefined) return null;
  if (countOf(rawHeaders) > 1) throw malformed('was sent several times');
  if (!BEARER.test(authorization)) return null;
  const value = VALUE.exec(authorization)?.[1];
  if (value === undefined)
    throw malformed(
      authorization.trim().length === 'bearer'.length
        ? 'holds no token'
        : 'holds more than a token, or characters that no token has',
    );
  return value;
}

/** Node keeps the first of several and does not say so. */
function countOf(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!;
    if (name.length === NAME.length && name.toLowerCase() === NAME) count++;
  }
  return count;
}
