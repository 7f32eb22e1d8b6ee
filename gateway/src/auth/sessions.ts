import type { webcrypto } from 'node:crypto';
import { principalNameSchema } from '@uncaged/protocol/ids';
import { z } from 'zod';
import { signJwt, type Verified, verifyJwt } from './jwt.js';
import { SESSION_MAX_S } from './limits.js';
import { tokenIdSchema } from './tokens.js';
import type { Identity } from './types.js';

const SECOND_MS = 1000;

/** `tid`: the token it came from, so that it ends with that; null: the gateway's key. */
const sessionClaimsSchema = z.object({
  sub: principalNameSchema,
  role: z.enum(['viewer', 'operator']),
  tid: tokenIdSchema.nullable(),
  iat: z.int(),
  exp: z.int(),
});

export type CreatedSession = {
  /** For the cookie. Nothing is stored: it is good until it expires, its token is revoked or the key is changed. */
  value: string;
  maxAgeS: number;
  identity: Identity;
};

/** A session for whoever showed a token: it lasts as long as the token, at most 30 days. */
export async function createSession(
  signingKey: webcrypto.CryptoKey,
  { identity, clock }: { identity: Identity; clock: () => number },
): Promise<CreatedSession> {
  const iat = Math.floor(clock() / SECOND_MS);
  const exp = Math.min(
    iat + SESSION_MAX_S,
    identity.expiresAt === null
      ? Number.POSITIVE_INFINITY
      : Math.floor(identity.expiresAt / SECOND_MS),
  );
  const { name, role, tokenId } = identity;
  const claims = { sub: name, role, tid: tokenId, iat, exp };
  return {
    value: await signJwt(signingKey, 'uwf-session', claims),
    maxAgeS: exp - iat,
    identity: { ...identity, expiresAt: exp * SECOND_MS, by: 'cookie' },
  };
}

export async function verifySession(
  signingKey: webcrypto.CryptoKey,
  { value, clock }: { value: string; clock: () => number },
): Promise<Verified<Identity>> {
  const verified = await verifyJwt(signingKey, 'uwf-session', {
    text: value,
    now: clock(),
    schema: sessionClaimsSchema,
  });
  if (verified.outcome !== 'good') return verified;
  const { sub, role, tid, exp } = verified.claims;
  return {
    outcome: 'good',
    claims: { role, name: sub, tokenId: tid, expiresAt: exp * SECOND_MS, by: 'cookie' },
  };
}
