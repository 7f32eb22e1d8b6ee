import type { webcrypto } from 'node:crypto';
import { errors, jwtVerify, SignJWT } from 'jose';
import type { z } from 'zod';
import { TOKEN_MAX_CHARACTERS } from './limits.js';

const ALGORITHM = 'HS256';
const SECOND_MS = 1000;

/** What a signed text may be used as: a token of the API is no cookie, and the other way round. */
export type JwtType = 'uwf-token' | 'uwf-session';

/** `{"…`.`{"…`.32 bytes */
const SHAPE = /^eyJ[\w-]+\.eyJ[\w-]+\.[\w-]{43}$/;

/**
 * Whether a text looks like one of ours, in the one spelling that it has: base64url leaves bits unused at the end of a signature,
 * so that four different texts would have the same bytes (header and claims are signed as text).
 */
export function isJwtShaped(text: string): boolean {
  if (text.length > TOKEN_MAX_CHARACTERS || !SHAPE.test(text)) return false;
  const signature = text.slice(text.lastIndexOf('.') + 1);
  return Buffer.from(signature, 'base64url').toString('base64url') === signature;
}

export function signJwt(
  key: webcrypto.CryptoKey,
  type: JwtType,
  claims: Record<string, unknown>,
): Promise<string> {
  return new SignJWT(claims).setProtectedHeader({ alg: ALGORITHM, typ: type }).sign(key);
}

export type Verified<Claims> =
  | { outcome: 'good'; claims: Claims }
  /** It is ours, but its time is over. */
  | { outcome: 'expired'; expiresAt: number }
  /** Not signed by this key, of another type, or not understood. */
  | { outcome: 'wrong' };

/** `now`: ms since epoch. */
export async function verifyJwt<Schema extends z.ZodType>(
  key: webcrypto.CryptoKey,
  type: JwtType,
  { text, now, schema }: { text: string; now: number; schema: Schema },
): Promise<Verified<z.output<Schema>>> {
  if (!isJwtShaped(text)) return { outcome: 'wrong' };
  try {
    const { payload } = await jwtVerify(text, key, {
      algorithms: [ALGORITHM],
      typ: type,
      currentDate: new Date(now),
    });
    const claims = schema.safeParse(payload);
    return claims.success ? { outcome: 'good', claims: claims.data } : { outcome: 'wrong' };
  } catch (error) {
    // jose looks at claims only after the signature was found good.
    if (error instanceof errors.JWTExpired && error.payload.exp !== undefined)
      return { outcome: 'expired', expiresAt: error.payload.exp * SECOND_MS };
    if (error instanceof errors.JOSEError) return { outcome: 'wrong' };
    throw error;
  }
}
