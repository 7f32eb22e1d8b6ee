import { Problem } from '@uncaged/protocol/problem';
import { z } from 'zod';
import { verifyJwt } from './jwt.js';
import { deriveSigningKey, type GatewayKey } from './key.js';
import { appendRevocation, type Revocation, revokedFileOf } from './revoked-file.js';
import { type CreatedToken, createToken, type Role, tokenIdSchema, verifyToken } from './tokens.js';

/** For the command line: a token of the gateway with this key. Throws invalid-argument for a name that cannot be. */
export async function issueToken({
  key,
  ...terms
}: {
  key: GatewayKey;
  role: Role;
  name: string;
  /** Null: it does not expire. */
  lifetimeMs: number | null;
  /** ms since epoch */
  clock: () => number;
}): Promise<CreatedToken> {
  return await createToken(await deriveSigningKey(key.secret), terms);
}

/**
 * For the command line: revokes a token, given itself or its id; a running gateway notices within a second and ends its sessions
 * and links. Doing it twice does no harm. Throws invalid-argument when it is no token of this key, disk-full, invalid-config.
 */
export async function revokeToken({
  dataDir,
  key,
  tokenOrId,
  clock,
}: {
  dataDir: string;
  key: GatewayKey;
  tokenOrId: string;
  clock: () => number;
}): Promise<Revocation> {
  const revocation = tokenIdSchema.safeParse(tokenOrId).success
    ? { id: tokenOrId, expiresAt: null }
    : await revocationOf(tokenOrId, key, clock);
  await appendRevocation(revokedFileOf(dataDir), revocation);
  return revocation;
}

async function revocationOf(
  token: string,
  key: GatewayKey,
  clock: () => number,
): Promise<Revocation> {
  const signingKey = await deriveSigningKey(key.secret);
  const verified = await verifyToken(signingKey, { token, clock });
  if (verified.outcome === 'good') {
    const { tokenId, expiresAt } = verified.claims;
    return { id: tokenId!, expiresAt };
  }
  if (verified.outcome === 'expired')
    throw new Problem(
      'invalid-argument',
      `The token expired at ${new Date(verified.expiresAt).toISOString()}: it is refused anyway, nothing needs to be revoked.`,
    );
  if (token === key.secret)
    throw new Problem(
      'invalid-argument',
      `This is the key of the gateway, not a token. To make it and every token invalid, ${key.file === null ? 'set another WORKFLOW_DASHBOARD_SECRET' : `remove ${key.file}`} and start the gateway again.`,
    );
  const session = await verifyJwt(signingKey, 'uwf-session', {
    text: token,
    now: clock(),
    schema: z.object({}),
  });
  throw new Problem(
    'invalid-argument',
    session.outcome === 'wrong'
      ? 'This is neither a token of this gateway (which refuses it anyway) nor the id of one, which `uwf-gateway token` says when it makes it. Does --data name the directory of the gateway?'
      : 'This is the cookie of a browser, not a token. Revoke the token it was logged in with.',
  );
}
