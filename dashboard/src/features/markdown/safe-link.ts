const SCHEMES = new Set(['http:', 'https:', 'mailto:']);

/**
 * The address of a link in a text that an agent wrote, or null when it must not be one. Only whole addresses of the web and
 * of mail: a path would lead into this page, and everything else may run something.
 */
export function safeLink(href: string | undefined): string | null {
  if (href === undefined || !URL.canParse(href)) return null;
  const url = new URL(href);
  return SCHEMES.has(url.protocol) ? url.href : null;
}

/** What is shown beside a link's words, so that they cannot pretend to lead elsewhere; null when the words say it already. */
export function shownTarget(href: string, words: string): string | null {
  const { protocol, host, pathname } = new URL(href);
  const target = protocol === 'mailto:' ? pathname : host;
  return words.includes(href) || words === target ? null : target;
}
