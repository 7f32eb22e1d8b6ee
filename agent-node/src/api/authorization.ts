import type { Route } from '@uncaged/protocol/api';
import type { Allow } from '@uncaged/protocol/link';
import { Problem } from '@uncaged/protocol/problem';
import type { Authorize, Caller } from './context.js';

/** `<role> <percent-encoded name>`, set by the gateway, which drops a client's own. */
export const PRINCIPAL_HEADER = 'x-uwf-principal';

const PRINCIPAL = /^(viewer|operator) ([A-Za-z0-9%._~!*'()-]{1,300})$/;

/** For requests that came over the link: who asks is what the gateway says, what is allowed is what this node says. */
export function authorizePrincipal(allow: readonly Allow[]): Authorize {
  return (request) => {
    const match = PRINCIPAL.exec(request.headers.get(PRINCIPAL_HEADER) ?? '');
    const name = match === null ? null : decodeName(match[2]!);
    if (match === null || name === null)
      throw new Problem(
        'unauthorized',
        `The request does not say who asks: the gateway sets ${PRINCIPAL_HEADER}.`,
      );
    return { role: match[1] as Caller['role'], name, allow };
  };
}

/** Throws forbidden. */
export function requireAllowed(caller: Caller, { allow, method, path }: Route): void {
  if (!caller.allow.includes(allow))
    throw new Problem(
      'forbidden',
      `This node does not allow "${allow}", which ${method} ${path} needs. Start it with --allow ${[...caller.allow, allow].join(',')}.`,
    );
  if (caller.role === 'viewer' && allow !== 'read')
    throw new Problem('forbidden', `A viewer may only look; ${method} ${path} changes something.`);
}

function decodeName(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return null;
    throw error;
  }
}
