import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { resolve } from 'node:path';
import { Problem } from '@uncaged/protocol/problem';
import type { Environment } from '../context.js';
import { TOKEN_MAX_BYTES } from '../limits.js';

/** Whoever has one of these may act as this node; agents have no need of them. */
const TOKEN_VARIABLES = ['UWF_NODE_TOKEN', 'WORKFLOW_DASHBOARD_SECRET'] as const;

/** Permissions of others than the owner. */
const OTHERS = 0o077;
const VISIBLE_ASCII = /^[\x21-\x7e]+$/;

export type TokenInput = {
  file: string | undefined;
  env: Environment;
  cwd: () => string;
  warn: (text: string) => void;
};

/**
 * The token of this node: from the file, else UWF_NODE_TOKEN, else WORKFLOW_DASHBOARD_SECRET; empty counts as unset. Throws
 * invalid-argument, file-not-found; none of them repeats it.
 */
export function readNodeToken({ file, env, cwd, warn }: TokenInput): string {
  if (file !== undefined) {
    const path = resolve(cwd(), file);
    return checked(readTokenFile(path, warn), path);
  }
  for (const name of TOKEN_VARIABLES) {
    const value = env[name]?.trim();
    if (value) return checked(value, name);
  }
  throw new Problem(
    'invalid-argument',
    `no token for the gateway: give --token-file <file>, or set ${TOKEN_VARIABLES.join(' or ')}`,
  );
}

function checked(token: string, where: string): string {
  if (VISIBLE_ASCII.test(token)) return token;
  throw new Problem(
    'invalid-argument',
    token === ''
      ? `${where} is empty; put the token of this node into it`
      : `what is in ${where} is no token: it has spaces, line breaks or characters outside ASCII`,
  );
}

function readTokenFile(path: string, warn: TokenInput['warn']): string {
  let handle: number | null = null;
  try {
    handle = openSync(path, 'r');
    const stat = fstatSync(handle);
    if (process.platform !== 'win32' && (stat.mode & OTHERS) !== 0 && stat.isFile())
      warn(`${path} can be read by others; run: chmod 600 ${path}`);
    // A pipe (`<(command)`) gives its text in pieces.
    const bytes = Buffer.alloc(TOKEN_MAX_BYTES + 1);
    let size = 0;
    for (;;) {
      const read = readSync(handle, bytes, size, bytes.length - size, null);
      size += read;
      if (read === 0 || size === bytes.length) break;
    }
    if (size > TOKEN_MAX_BYTES)
      throw new Problem(
        'invalid-argument',
        `${path} is no token file: it has more than ${TOKEN_MAX_BYTES} bytes`,
      );
    return bytes.toString('utf8', 0, size).trim();
  } catch (error) {
    if (error instanceof Problem) throw error;
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new Problem(
      code === 'ENOENT' ? 'file-not-found' : 'invalid-argument',
      `the file of --token-file cannot be read: ${path} (${code})`,
      { cause: error },
    );
  } finally {
    if (handle !== null) closeSync(handle);
  }
}
