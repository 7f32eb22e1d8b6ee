import type { Route } from '@uncaged/protocol/api';
import { PRINCIPAL_HEADER, parsePrincipal } from '@uncaged/protocol/http';
import type { Allow } from '@uncaged/protocol/link';
import { Problem } from '@uncaged/protocol/problem';
import type { Authorize, Caller } from './context.js';

/** For requests that came over the link: who asks is what the gateway says, what is allowed is what this node says. */
export function authorizePrincipal(allow: readonly Allow[]): Authorize {
  return (request) => {
    const principal = parsePrincipal(request.headers.get(PRINCIPAL_HEADER) ?? '');
    if (principal === null)
      throw new Problem(
        'unauthorized',
        `The request does not say who asks: the gateway sets ${PRINCIPAL_HEADER}.`,
      );
    return { ...principal, allow };
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
