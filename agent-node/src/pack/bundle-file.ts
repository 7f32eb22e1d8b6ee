import { link, mkdir, open, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Hash } from '@uncaged/protocol/ids';
import { Problem } from '@uncaged/protocol/problem';
import { nanoid } from 'nanoid';
import { isDiskFull } from '../process/index.js';

/** Where a storage root keeps the file of a bundle. */
export function bundleFile(root: string, version: Hash): string {
  return join(root, 'bundles', `${version}.esm.js`);
}

/**
 * Stores the file of a bundle, whole or not at all, and never over another: XXH64 can be made to meet. Throws hash-collision,
 * disk-full.
 */
export async function keepBundle(root: string, hash: Hash, bytes: Uint8Array): Promise<void> {
  const path = bundleFile(root, hash);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.${nanoid()}.tmp`;
  try {
    await writeWhole(temporary, bytes);
    await link(temporary, path);
  } catch (error) {
    if (isDiskFull(error)) throw new Problem('disk-full', `disk full: ${path}`, { cause: error });
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    if (!(await readFile(path)).equals(bytes))
      throw new Problem(
        'hash-collision',
        `The pack has another bundle under the hash of ${path}; nothing was overwritten.`,
        { cause: error },
      );
  } finally {
    await rm(temporary, { force: true });
  }
}

async function writeWhole(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}
