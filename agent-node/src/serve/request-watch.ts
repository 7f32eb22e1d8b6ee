import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { ServeLimits } from './limits.js';

type WatchLimits = Pick<ServeLimits, 'requestTimeoutMs' | 'uploadSilenceMs' | 'connectionsCheckMs'>;

/** Whose body is on its way; times are of the monotonic clock, ms. */
type Watched = {
  request: IncomingMessage;
  response: ServerResponse;
  since: number;
  /** When a byte last came, or when those that are here were not taken yet. */
  movedAt: number;
  bytesRead: number;
};

const TOO_SLOW = 'HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n';

/**
 * Cuts requests whose bodies do not come: after `requestTimeoutMs` in all, but an upload (`isUpload`, asked once) only when no byte
 * of it came for `uploadSilenceMs`, however long it takes. While it is this side that does not read, nobody is silent. An upload
 * that has its answer is one no more. Ends with the server.
 */
export function watchRequests(
  server: Server,
  limits: WatchLimits,
  isUpload: (request: IncomingMessage) => boolean,
  clock: () => number = () => performance.now(),
): void {
  const open = new Map<IncomingMessage, Watched & { isUpload: boolean }>();
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (!hasBody(request)) return;
    const since = clock();
    const { bytesRead } = request.socket;
    const watched = { request, response, since, movedAt: since, bytesRead };
    open.set(request, { ...watched, isUpload: isUpload(request) });
    request.once('close', () => open.delete(request));
  });
  const timer = setInterval(() => {
    const now = clock();
    for (const watched of open.values()) {
      const { request } = watched;
      if (request.complete || request.destroyed) open.delete(request);
      else if (isTooSlow(watched, limits, now)) {
        open.delete(request);
        cut(watched);
      }
    }
  }, limits.connectionsCheckMs);
  timer.unref();
  server.once('close', () => clearInterval(timer));
}

function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length'];
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

function isTooSlow(
  watched: Watched & { isUpload: boolean },
  { requestTimeoutMs, uploadSilenceMs }: WatchLimits,
  now: number,
): boolean {
  const { request, response, since } = watched;
  const { bytesRead } = request.socket;
  if (bytesRead !== watched.bytesRead || request.readableLength > 0) {
    watched.bytesRead = bytesRead;
    watched.movedAt = now;
  }
  if (watched.isUpload && !response.writableEnded) return now - watched.movedAt >= uploadSilenceMs;
  return now - since >= requestTimeoutMs;
}

function cut({ request, response }: Watched): void {
  const { socket } = request;
  if (response.headersSent) socket.destroy();
  else socket.end(TOO_SLOW, () => socket.destroy());
}
