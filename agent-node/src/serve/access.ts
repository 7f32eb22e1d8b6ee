import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { Problem } from '@uncaged/protocol/problem';
import type { Log } from '../api/index.js';
import type { Failures } from './failures.js';

/** What a request shows of who asks. */
export type Shown = {
  method: string;
  authorization: string | undefined;
  cookie: string | undefined;
  origin: string | undefined;
  address: string;
};

export type Access = {
  /** Throws unauthorized, rate-limited; forbidden for a change asked for with a cookie by who knows which page. */
  check: (shown: Shown) => void;
  /** The `set-cookie` for the right token. Throws unauthorized, rate-limited. */
  logIn: (token: string, address: string) => string;
  /** `set-cookie` that forgets the cookie. */
  logOut: () => string;
};

const BEARER = /^Bearer +([^\s]+)$/i;
const READING = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Ports share their cookies, so the name says whose it is. */
export function createAccess({
  token,
  port,
  failures,
  log,
}: {
  token: string;
  port: number;
  failures: Failures;
  log: Log;
}): Access {
  const name = `uwf_${port}`;
  // Shows that its holder once had the token, and is of no use to find it out.
  const value = createHmac('sha256', token).update('uwf serve: cookie').digest('base64url');
  const attributes = 'Path=/; HttpOnly; SameSite=Strict';

  function checkToken(given: string, address: string): void {
    failures.check(address);
    if (isSame(given, token)) return;
    failures.add(address);
    log('W1GT6Z9B', `a wrong token came from ${address}`);
    throw new Problem(
      'unauthorized',
      'The token is wrong; the one of this server is in its token file.',
    );
  }

  return {
    check: ({ method, authorization, cookie, origin, address }) => {
      if (authorization !== undefined) {
        checkToken(BEARER.exec(authorization)?.[1] ?? '', address);
        return;
      }
      const shown = cookieOf(cookie, name);
      if (shown === null || !isSame(shown, value))
        throw new Problem(
          'unauthorized',
          'The request does not say who asks: send Authorization: Bearer with the token of this server, or log in.',
        );
      // A browser sends the cookie along; only its Origin, checked before, tells which page asks.
      if (!READING.has(method) && origin === undefined)
        throw new Problem(
          'forbidden',
          'A change that is asked for with a cookie needs an Origin header; programs send Authorization: Bearer instead.',
        );
    },
    logIn: (given, address) => {
      checkToken(given, address);
      return `${name}=${value}; ${attributes}`;
    },
    logOut: () => `${name}=; ${attributes}; Max-Age=0`,
  };
}

function cookieOf(header: string | undefined, name: string): string | null {
  for (const part of (header ?? '').split(';')) {
    const at = part.indexOf('=');
    if (at >= 0 && part.slice(0, at).trim() === name) return part.slice(at + 1).trim();
  }
  return null;
}

/** In a time that tells nothing about where they differ. */
function isSame(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
