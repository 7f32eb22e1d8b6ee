import { rawTarget } from '../api/index.js';
import type { ServeContext, Serving } from './context.js';

const ORIGIN = 'http://node';

/** Hands a request to the node's own API, as it is or under another path. */
export function toNode(
  { api }: Serving,
  c: ServeContext,
  path?: string,
): Response | Promise<Response> {
  if (path === undefined) return api.app.fetch(c.req.raw, { rawPath: rawTarget(c.req.raw, c.env) });
  return api.app.fetch(new Request(`${ORIGIN}${path}`, c.req.raw), { rawPath: path });
}

/** Asks the node's own API for this server itself. */
export function askNode(
  { api }: Serving,
  path: string,
  init: RequestInit = {},
): Response | Promise<Response> {
  return api.app.fetch(new Request(`${ORIGIN}${path}`, init), { rawPath: path });
}
