/** Where to go after the log-in: only a path of this page, never another site. */
export function safeReturnPath(path: unknown): string {
  if (typeof path !== 'string' || !path.startsWith('/') || path.startsWith('/login')) return '/';
  const base = 'http://page.invalid';
  const url = URL.canParse(path, base) ? new URL(path, base) : null;
  return url !== null && url.origin === base ? `${url.pathname}${url.search}${url.hash}` : '/';
}
