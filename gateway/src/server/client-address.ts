import type { IncomingMessage } from 'node:http';

/**
 * Who is at the other end. Behind a proxy that is trusted, what the proxy says: the last entry of X-Forwarded-For is its own,
 * those before it are whatever the client claims.
 */
export function clientAddress(request: IncomingMessage, trustProxy: boolean): string {
  const direct = request.socket.remoteAddress ?? 'unknown';
  if (!trustProxy) return direct;
  const given = request.headers['x-forwarded-for'];
  const entries = (Array.isArray(given) ? given.join(',') : (given ?? '')).split(',');
  return entries.at(-1)?.trim() || direct;
}
