import { Problem } from '../../problem/index.js';

type Values = Readonly<Record<string, unknown>>;

/** `/api/threads/:id` → `/api/threads/01J…`. Throws `invalid-argument` for a value that would lead elsewhere. */
export function fillPath(path: string, params: Values): string {
  return path.replace(/:(\w+)/g, (_, name: string) => pathSegment(name, params[name]));
}

/** One segment of a path. Throws `invalid-argument`: empty, `.` and `..` are taken out of an address, whoever writes them. */
export function pathSegment(name: string, value: unknown): string {
  const text = typeof value === 'string' ? value.toWellFormed() : '';
  if (text === '' || text === '.' || text === '..')
    throw new Problem(
      'invalid-argument',
      `${name} is ${JSON.stringify(value) ?? 'missing'}, which cannot stand in an address. Give the whole ${name}.`,
    );
  return encodeURIComponent(text);
}

/** `?a=1&b=x,y`: lists with commas; what is undefined or an empty list is left out. */
export function queryText(query: Values): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    const text = Array.isArray(value) ? value.join(',') : String(value ?? '');
    if (text !== '') search.set(name, text);
  }
  return search.size === 0 ? '' : `?${search}`;
}

/**
 * Where the API is: without a `/` at the end. Without `baseUrl`: where the page came from. Throws `invalid-argument` for what
 * is not an address.
 */
export function apiBase(baseUrl: string): string {
  const { origin, pathname } = new URL(absoluteUrl(baseUrl === '' ? '/' : baseUrl));
  return `${origin}${pathname.replace(/\/+$/, '')}`;
}

/** In a page, addresses may be relative to where it came from. Throws `invalid-argument` for what is not an address. */
export function absoluteUrl(url: string): string {
  const page = (globalThis.location as Location | undefined)?.origin;
  const absolute = URL.canParse(url, page) ? new URL(url, page) : null;
  if (absolute?.protocol === 'http:' || absolute?.protocol === 'https:') return absolute.href;
  // Not quoted: an address may hold a password.
  throw new Problem(
    'invalid-argument',
    'The address of the API is not one of http or https. Give it as http://127.0.0.1:7420.',
  );
}
