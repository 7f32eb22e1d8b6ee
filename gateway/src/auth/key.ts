import { hkdfSync, webcrypto } from 'node:crypto';
import { join } from 'node:path';
import { Problem } from '@uncaged/protocol/problem';
import { isJwtShaped } from './jwt.js';
import { createKeyFile, readKeyFile } from './key-file.js';
import { KEY_BYTES, KEY_MAX_CHARACTERS, KEY_MIN_CHARACTERS } from './limits.js';

export const KEY_VARIABLE = 'WORKFLOW_DASHBOARD_SECRET';

/** Whoever has it is an operator, and every token is signed with what is derived from it. */
export type GatewayKey = {
  secret: string;
  /** Where it is kept, for telling people; null: it came from the environment. */
  file: string | null;
};

/** It has to go through a header, and through `export X=…`. */
const PRINTABLE = /^[\x21-\x7e]+$/;
/** What the signing key is for: another use, or another way of signing, takes another text. */
const SIGNING_INFO = 'uncaged-workflow gateway token signing v1';

/**
 * The gateway's key: WORKFLOW_DASHBOARD_SECRET, else `<dataDir>/key`, which is made when it is missing. Changing it makes every
 * token and session invalid. Throws invalid-config (too short, readable by others …: the message says what to do), disk-full.
 */
export async function loadKey({
  dataDir,
  env,
}: {
  dataDir: string;
  env: Readonly<Record<string, string | undefined>>;
}): Promise<GatewayKey> {
  const given = env[KEY_VARIABLE];
  if (given !== undefined && given !== '')
    return { secret: checkSecret(given, KEY_VARIABLE, 'set another one'), file: null };
  const file = join(dataDir, 'key');
  let text = await readKeyFile(file);
  if (text === null) {
    await createKeyFile(file);
    text = await readKeyFile(file);
  }
  if (text === null)
    throw new Problem(
      'invalid-config',
      `${file} was removed while it was made. Start again, or set ${KEY_VARIABLE}.`,
    );
  const repair =
    'restore it, or remove it to have a new one made (every token becomes invalid then)';
  return { secret: checkSecret(text, file, repair), file };
}

/** The key that signs tokens and sessions. */
export function deriveSigningKey(secret: string): Promise<webcrypto.CryptoKey> {
  const bytes = hkdfSync('sha256', secret, '', SIGNING_INFO, KEY_BYTES);
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  return webcrypto.subtle.importKey('raw', bytes, algorithm, false, ['sign', 'verify']);
}

/** Editors and `docker secret` leave a line end behind. The secret itself is never part of a message. */
function checkSecret(text: string, where: string, repair: string): string {
  const secret = text.trimEnd();
  if (secret.length < KEY_MIN_CHARACTERS)
    throw new Problem(
      'invalid-config',
      `${where} holds a key of ${secret.length} characters; at least ${KEY_MIN_CHARACTERS} are needed: ${repair}. \`openssl rand -base64 32\` makes a good one.`,
    );
  if (secret.length > KEY_MAX_CHARACTERS || !PRINTABLE.test(secret))
    throw new Problem(
      'invalid-config',
      `${where} must be at most ${KEY_MAX_CHARACTERS} letters, digits and signs of ASCII, without spaces: ${repair}. \`openssl rand -base64 32\` makes a good one.`,
    );
  // Guesses of the key are counted by their shape: see failures.ts.
  if (isJwtShaped(secret))
    throw new Problem(
      'invalid-config',
      `${where} holds a token, not a key: ${repair}. \`openssl rand -base64 32\` makes a good one.`,
    );
  return secret;
}
