import { open, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Problem } from '@uncaged/protocol/problem';
import { z } from 'zod';
import { makeDirectory } from './make-directory.js';
import { tokenIdSchema } from './tokens.js';

/*
 * `revoked.jsonl`: a line {"id", "expiresAt"} for each revoked token. Only ever appended to, by one write each: that needs no
 * lock, two commands at once both get in, and a revocation that was promised cannot be lost by somebody's rewriting. Lines of
 * tokens that have expired since are skipped when it is read; a line has some 60 bytes, so the file stays small for good.
 */
const FILE_MODE = 0o600;
const NEWLINE = 0x0a;

const revocationSchema = z.object({
  id: tokenIdSchema,
  /** ms since epoch; null: not known, or it does not expire. */
  expiresAt: z.number().nullable(),
});
export type Revocation = z.infer<typeof revocationSchema>;

export type RevokedFile = {
  revocations: Revocation[];
  /** Numbers (from 1) of lines that are no revocation. */
  damaged: number[];
};

export function revokedFileOf(dataDir: string): string {
  return join(dataDir, 'revoked.jsonl');
}

/** Null: there is none. */
export async function readRevokedFile(file: string): Promise<RevokedFile | null> {
  try {
    return parse(await readFile(file, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** On the disk when it returns. Throws disk-full, invalid-config. */
export async function appendRevocation(file: string, revocation: Revocation): Promise<void> {
  try {
    await makeDirectory(dirname(file));
    const handle = await open(file, 'a+', FILE_MODE);
    try {
      const line = `${JSON.stringify(revocation)}\n`;
      // What a full disk cut off must not swallow this line too.
      await handle.appendFile((await isTorn(handle)) ? `\n${line}` : line);
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Problem(
      code === 'ENOSPC' || code === 'EDQUOT' ? 'disk-full' : 'invalid-config',
      `The token is not revoked: ${file} cannot be written (${code}). Make room for it or make it writable, and try again.`,
      { cause: error },
    );
  }
}

async function isTorn(handle: Awaited<ReturnType<typeof open>>): Promise<boolean> {
  const { size } = await handle.stat();
  if (size === 0) return false;
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(1), 0, 1, size - 1);
  return bytesRead === 1 && buffer[0] !== NEWLINE;
}

function parse(text: string): RevokedFile {
  const revocations: Revocation[] = [];
  const damaged: number[] = [];
  text.split('\n').forEach((line, index) => {
    if (line.trim() === '') return;
    const revocation = parseLine(line);
    if (revocation === null) damaged.push(index + 1);
    else revocations.push(revocation);
  });
  return { revocations, damaged };
}

function parseLine(line: string): Revocation | null {
  try {
    return revocationSchema.safeParse(JSON.parse(line)).data ?? null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
