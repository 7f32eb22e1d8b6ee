import { Problem } from '../problem/index.js';

const QUOTED_MAX_CHARACTERS = 60;

/**
 * Holds a request to the media type of its upload; parameters do not matter. A browser sends such a type for no page without
 * asking first. Throws unsupported-media-type.
 */
export function requireMediaType(request: Request, mediaType: string): void {
  const given = request.headers.get('content-type') ?? '';
  const end = given.indexOf(';');
  const type = (end < 0 ? given : given.slice(0, end)).trim().toLowerCase();
  if (type === mediaType) return;
  const what = given === '' ? 'no type' : JSON.stringify(given.slice(0, QUOTED_MAX_CHARACTERS));
  throw new Problem(
    'unsupported-media-type',
    `The body has ${what}; send it as content-type: ${mediaType}.`,
  );
}
