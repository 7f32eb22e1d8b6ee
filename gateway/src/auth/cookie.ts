/**
 * The value of the first cookie of this name in a Cookie header (RFC 6265), without quotes; null: there is none. Browsers send
 * the cookies of every port of a host, and whatever else was set for it.
 */
export function readCookie(header: string | undefined, name: string): string | null {
  if (header === undefined) return null;
  for (const pair of header.split(';')) {
    const at = pair.indexOf('=');
    if (at < 0 || pair.slice(0, at).trim() !== name) continue;
    const value = pair.slice(at + 1).trim();
    const isQuoted = value.length > 1 && value.startsWith('"') && value.endsWith('"');
    return isQuoted ? value.slice(1, -1) : value;
  }
  return null;
}

/** A Set-Cookie for this host only, out of reach of scripts and of other sites' pages. `maxAgeS` 0 forgets it. */
export function formatSetCookie({
  name,
  value,
  maxAgeS,
  secure,
}: {
  name: string;
  value: string;
  maxAgeS: number;
  secure: boolean;
}): string {
  const attributes = ['Path=/', `Max-Age=${maxAgeS}`, 'HttpOnly', 'SameSite=Strict'];
  if (secure) attributes.push('Secure');
  return [`${name}=${value}`, ...attributes].join('; ');
}
