import { createHash, timingSafeEqual } from 'node:crypto';
import { Problem } from '@uncaged/protocol/problem';
import type { GatewayLimits } from '../limits.js';
import type { Log } from '../log.js';
import { readBearer } from './bearer.js';
import { formatSetCookie, readCookie } from './cookie.js';
import { createFailures } from './failures.js';
import { isJwtShaped } from './jwt.js';
import { deriveSigningKey, type GatewayKey } from './key.js';
import { VERIFIED_MAX } from './limits.js';
import {
  expired,
  nothingShown,
  revoked,
  sessionExpired,
  sessionGone,
  wrongToken,
} from './problems.js';
import { openRevocations } from './revocations.js';
import { revokedFileOf } from './revoked-file.js';
import { createSession, verifySession } from './sessions.js';
import { verifyToken } from './tokens.js';
import type { Address, Auth, Identity } from './types.js';
import { createVerifiedCache } from './verified-cache.js';

export type AuthInput = {
  /** Where `revoked.jsonl` is. */
  dataDir: string;
  key: GatewayKey;
  /** Names the cookie: browsers send the cookies of every port of a host. */
  port: number;
  /** Browsers come by https: the cookie is sent no other way. */
  secure: boolean;
  limits: Pick<GatewayLimits, 'failuresMax' | 'failureWindowMs' | 'revocationLookMs'>;
  /** ms since epoch */
  clock: () => number;
  log: Log;
};

/** The key shown as a token. */
const KEY_HOLDER: Identity = {
  role: 'operator',
  name: 'operator',
  tokenId: null,
  expiresAt: null,
  by: 'bearer',
};

/** Who may do what at a gateway. `close` it. Throws invalid-config when the revoked tokens cannot be read. */
export async function createAuth(input: AuthInput): Promise<Auth> {
  const { dataDir, port, secure, limits, clock, log } = input;
  const signingKey = await deriveSigningKey(input.key.secret);
  const isKey = createKeyCheck(input.key.secret);
  const failures = createFailures({
    max: limits.failuresMax,
    windowMs: limits.failureWindowMs,
    clock,
  });
  const tokens = createVerifiedCache(VERIFIED_MAX);
  const sessions = createVerifiedCache(VERIFIED_MAX);
  const cookieName = `uwf_${port}`;
  const revocations = await openRevocations({
    file: revokedFileOf(dataDir),
    lookMs: limits.revocationLookMs,
    clock,
    log,
  });

  const isRevoked = ({ tokenId }: Identity) => tokenId !== null && revocations.has(tokenId);
  const isExpired = ({ expiresAt }: Identity) => expiresAt !== null && expiresAt <= clock();

  function checked(identity: Identity): Identity {
    if (isRevoked(identity)) throw revoked();
    if (isExpired(identity))
      throw identity.by === 'cookie' ? sessionExpired() : expired(identity.expiresAt!);
    return identity;
  }

  async function byToken(token: string): Promise<Identity> {
    const verified = await verifyToken(signingKey, { token, clock });
    if (verified.outcome === 'wrong') throw wrongToken();
    if (verified.outcome === 'expired') throw expired(verified.expiresAt);
    tokens.set(token, verified.claims);
    return checked(verified.claims);
  }

  async function bySession(value: string): Promise<Identity> {
    const verified = await verifySession(signingKey, { value, clock });
    if (verified.outcome === 'wrong') throw sessionGone();
    if (verified.outcome === 'expired') throw sessionExpired();
    sessions.set(value, verified.claims);
    return checked(verified.claims);
  }

  /** What has not the shape of a token can only be the key, or a guess of it: nothing here waits, so all guesses are counted. */
  function byKey(secret: string, address: Address): Identity {
    failures.check(address);
    if (isKey(secret)) return KEY_HOLDER;
    failures.add(address);
    throw wrongToken();
  }

  /** At the login every wrong token counts: a page that tries one after the other is stopped. */
  async function atLogin(token: string, address: Address): Promise<Identity> {
    const known = tokens.get(token);
    if (known !== null) return checked(known);
    if (!isJwtShaped(token)) return byKey(token, address);
    failures.check(address);
    try {
      return await byToken(token);
    } catch (error) {
      if (error instanceof Problem) failures.add(address);
      throw error;
    }
  }

  return {
    identify(request, address) {
      const bearer = readBearer(request);
      if (bearer !== null) {
        const known = tokens.get(bearer);
        if (known !== null) return checked(known);
        return isJwtShaped(bearer) ? byToken(bearer) : byKey(bearer, address);
      }
      const value = readCookie(request.headers.cookie, cookieName);
      if (value === null) throw nothingShown();
      const known = sessions.get(value);
      return known === null ? bySession(value) : checked(known);
    },
    async logIn(token, address) {
      const holder = await atLogin(token.trim(), address);
      if (holder.role === 'node')
        throw new Problem(
          'forbidden',
          'This is the token of a node, which may only connect. Log in with one of a viewer or an operator (`uwf-gateway token --role viewer`).',
        );
      const { identity, value, maxAgeS } = await createSession(signingKey, {
        identity: holder,
        clock,
      });
      return {
        identity,
        setCookie: formatSetCookie({ name: cookieName, value, maxAgeS, secure }),
      };
    },
    logOut: () => formatSetCookie({ name: cookieName, value: '', maxAgeS: 0, secure }),
    isValid: (identity) => !isRevoked(identity) && !isExpired(identity),
    onRevoked: revocations.onAdded,
    close: revocations.close,
  };
}

/** Compares hashes, which have one length, in a time that does not depend on where they differ. */
function createKeyCheck(secret: string): (text: string) => boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  const expected = digest(secret);
  return (text) => timingSafeEqual(digest(text), expected);
}
