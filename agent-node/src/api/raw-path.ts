import { Problem } from '@uncaged/protocol/problem';

/** What the server or the link knows of the request line; a URL has lost its dot segments. */
export type RequestLine = { incoming?: { url?: string }; rawPath?: string };

const DOTS = /^\.{1,2}$/;
/** Slashes either way, and control characters. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for
const UNSAFE = /[/\\\u0000-\u001f\u007f]/;

/** Refuses paths that mean another place once decoded, before anything reads them. Throws invalid-argument. */
export function checkRawPath(request: Request, line: RequestLine | undefined): void {
  const raw = line?.incoming?.url ?? line?.rawPath ?? pathOf(request.url);
  const end = raw.search(/[?#]/);
  const path = end < 0 ? raw : raw.slice(0, end);
  if (!path.startsWith('/')) throw refused('it must begin with "/"');
  for (const segment of path.slice(1).split('/')) {
    const text = decode(segment);
    if (DOTS.test(text)) throw refused('it must not hold "." or ".." as a part');
    if (UNSAFE.test(text))
      throw refused('a part of it must not hold slashes or control characters, encoded or not');
  }
}

function pathOf(url: string): string {
  const start = url.indexOf('/', url.indexOf('://') + 3);
  return start < 0 ? '/' : url.slice(start);
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
