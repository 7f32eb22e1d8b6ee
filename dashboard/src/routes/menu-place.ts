/** The place of the menu that an address belongs to: a thread is one of the threads, whichever node it is on. */
export function menuPlace(pathname: string): '/' | '/threads' | '/nodes' | null {
  if (pathname === '/') return '/';
  if (/^\/threads\/?$/.test(pathname) || /^\/nodes\/[^/]+\/threads\//.test(pathname))
    return '/threads';
  return /^\/nodes(\/|$)/.test(pathname) ? '/nodes' : null;
}
