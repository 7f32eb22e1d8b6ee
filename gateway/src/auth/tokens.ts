import type { webcrypto } from 'node:crypto';
import { nodeNameSchema, principalNameSchema } from '@uncaged/protocol/ids';
import { Problem } from '@uncaged/protocol/problem';
import { customAlphabet } from 'nanoid';
import { z } from 'zod';
import { signJwt, type Verified, verifyJwt } from './jwt.js';
import { TOKEN_ID_CHARACTERS } from './limits.js';
import type { Identity } from './types.js';

const SECOND_MS = 1000;

/** No `-`: an id can be given to a command line as it is. */
const createTokenId = customAlphabet(
  '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz',
  TOKEN_ID_CHARACTERS,
);
export const tokenIdSchema = z.string().regex(new RegExp(`^[0-9A-Za-z]{${TOKEN_ID_CHARACTERS}}$`));

export const ROLES = ['node', 'viewer', 'operator'] as const;
export type Role = (typeof ROLES)[number];

const tokenClaimsSchema = z.object({
  sub: principalNameSchema,
  role: z.enum(ROLES),
  jti: tokenIdSchema,
  iat: z.int(),
  exp: z.int().optional(),
});

export type CreatedToken = {
  token: string;
  /** For revoking it without having it. */
  id: string;
  /** ms since epoch, a whole second; null: it does not expire. */
  expiresAt: number | null;
};

/**
 * Makes a token; it is stored nowhere. A node's has the name that the node may use. `lifetimeMs` null: it does not expire.
 * Throws invalid-argument for a name that cannot be.
 */
export async function createToken(
  signingKey: webcrypto.CryptoKey,
  {
    role,
    name,
    lifetimeMs,
    clock,
  }: { role: Role; name: string; lifetimeMs: number | null; clock: () => number },
): Promise<CreatedToken> {
  checkName(role, name);
  const id = createTokenId();
  const iat = Math.floor(clock() / SECOND_MS);
  const exp = lifetimeMs === null ? null : Math.floor((clock() + lifetimeMs) / SECOND_MS);
  const claims = { sub: name, role, jti: id, iat, ...(exp === null ? {} : { exp }) };
  const token = await signJwt(signingKey, 'uwf-token', claims);
  return { token, id, expiresAt: exp === null ? null : exp * SECOND_MS };
}

/** Whose token it is. Revocation is looked up by the caller. */
export async function verifyToken(
  signingKey: webcrypto.CryptoKey,
  { token, clock }: { token: string; clock: () => number },
): Promise<Verified<Identity>> {
  const verified = await verifyJwt(signingKey, 'uwf-token', {
    text: token,
    now: clock(),
    schema: tokenClaimsSchema,
  });
  if (verified.outcome !== 'good') return verified;
  const { role, sub, jti, exp } = verified.claims;
  const expiresAt = exp === undefined ? null : exp * SECOND_MS;
  return {
    outcome: 'good',
    claims: { role, name: sub, tokenId: jti, expiresAt, by: 'bearer' },
  };
}

function checkName(role: Role, name: string): void {
  if (role === 'node') {
    if (nodeNameSchema.safeParse(name).success) return;
    throw new Problem(
      'invalid-argument',
      `${JSON.stringify(name)} cannot be the name of a node: 1 to 63 of a-z, 0-9 and -, not beginning with -.`,
    );
  }
  if (!principalNameSchema.safeParse(name).success)
    throw new Problem(
      'invalid-argument',
      `${JSON.stringify(name)} cannot be a name: 1 to 63 of A-Z, a-z, 0-9 and . _ @ -, beginning with a letter or digit.`,
    );
}
