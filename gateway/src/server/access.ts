import type { IncomingMessage } from 'node:http';
import { routes } from '@uncaged/protocol/api';
import type { Principal } from '@uncaged/protocol/http';
import { Problem } from '@uncaged/protocol/problem';
import type { Identity } from '../auth/index.js';

const READING = new Set(['GET', 'HEAD']);
/** What a viewer may POST, as the nodes' table of routes says: it changes nothing. */
const READING_POSTS = Object.values(routes)
  .filter(({ method, allow }) => method === 'POST' && allow === 'read')
  .map(({ path }) => path.slice('/api'.length));

/** Whether a request of this method and path (without query) changes nothing. */
export function isReading(method: string, path: string): boolean {
  if (READING.has(method)) return true;
  return method === 'POST' && READING_POSTS.some((reading) => path.endsWith(reading));
}

/**
 * What roles mean: a node's token opens links and nothing else, a viewer changes nothing. A cookie comes along with whatever
 * page makes the browser ask, so a change by cookie must say which page it comes from (the host check has compared it).
 * Throws forbidden.
 */
export function checkAccess(identity: Identity, request: IncomingMessage, path: string): Principal {
  const { role, name } = identity;
  if (role === 'node')
    throw new Problem(
      'forbidden',
      `The token of a node only serves \`uwf connect\`; ask with that of a viewer or an operator.`,
    );
  if (!isReading(request.method ?? '', path)) {
    if (role === 'viewer')
      throw new Problem(
        'forbidden',
        `${name} is a viewer and may only look; ${request.method} ${path} changes something. An operator's token may do that.`,
      );
    if (identity.by === 'cookie' && request.headers.origin === undefined)
      throw new Problem(
        'forbidden',
        'A change that is asked for by cookie must carry the header Origin; use Authorization: Bearer instead.',
      );
  }
  return { role, name };
}
