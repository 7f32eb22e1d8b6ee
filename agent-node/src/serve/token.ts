import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { Problem } from '@uncaged/protocol/problem';
import { TOKEN_BYTES, TOKEN_MAX_CHARACTERS, TOKEN_MIN_CHARACTERS } from './limits.js';

const FILE_MODE = 0o600;
const OTHERS = 0o077;
/** What an HTTP header can carry. */
const TOKEN = /^[\x21-\x7e]+$/;

export type ServeToken = {
  token: string;
  /** Where it is kept; null when it came from UWF_SERVE_TOKEN. */
  file: string | null;
};

/**
 * The token that `uwf serve` asks for: UWF_SERVE_TOKEN, else that of `<root>/serve.token`, which is made when it is missing;
 * the root must exist. Throws invalid-config for one that is too short, and for a file that others can read or nobody.
 */
export function readServeToken(
  root: string,
  env: Readonly<Record<string, string | undefined>>,
): ServeToken {
  const given = env.UWF_SERVE_TOKEN;
  if (given !== undefined && given !== '')
    return { token: checked(given, 'UWF_SERVE_TOKEN'), file: null };
  const file = join(root, 'serve.token');
  return { token: checked(readTokenFile(file), file), file };
}

function readTokenFile(file: string): string {
  try {
    if (statSync(file, { throwIfNoEntry: false }) === undefined) makeToken(file);
    const { mode } = statSync(file);
    if ((mode & OTHERS) === 0) return readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new Problem(
      'invalid-config',
      `The token file ${file} can be neither read nor made: ${(error as Error).message}. Without one, set UWF_SERVE_TOKEN.`,
      { cause: error },
    );
  }
  throw new Problem(
    'invalid-config',
    `Others than you can read the token in ${file}. Remove the file to get a new one, or keep it: chmod 600 ${file}`,
  );
}

/** Appears whole, or not at all; when another process makes one at the same time, the first stays. */
function makeToken(file: string): void {
  const temporary = `${file}.${process.pid}.${randomBytes(4).toString('hex')}.new`;
  const descriptor = openSync(temporary, 'wx', FILE_MODE);
  try {
    writeSync(descriptor, `${randomBytes(TOKEN_BYTES).toString('base64url')}\n`);
    fsyncSync(descriptor);
    linkSync(temporary, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    closeSync(descriptor);
    unlinkSync(temporary);
  }
}

/** Never quotes it. */
function checked(token: string, where: string): string {
  if (
    token.length >= TOKEN_MIN_CHARACTERS &&
    token.length <= TOKEN_MAX_CHARACTERS &&
    TOKEN.test(token)
  )
    return token;
  throw new Problem(
    'invalid-config',
    `The token in ${where} cannot be used: it must have ${TOKEN_MIN_CHARACTERS} to ${TOKEN_MAX_CHARACTERS} printable characters without spaces.`,
  );
}
