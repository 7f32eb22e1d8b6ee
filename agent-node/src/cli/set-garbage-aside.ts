import { readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { isProblem } from '@uncaged/protocol/problem';
import type { Output } from './output/index.js';

/** The sections of a registry, wherever they stand: a file with one of them was written by somebody, who can correct it. */
const SECTION = /(^|[\s{,])["']?(config|workflows)["']?\s*:/;
/** Who needs the file says what is wrong with it. */
const CANNOT_BE_READ = new Set([
  'ENOENT',
  'EISDIR',
  'ENOTDIR',
  'EACCES',
  'EPERM',
  'ELOOP',
  'EIO',
  'ERR_FS_FILE_TOO_LARGE',
]);
/** Another command was faster, or nothing may be moved here. */
const CANNOT_BE_MOVED = new Set(['ENOENT', 'EACCES', 'EPERM', 'EROFS']);

/**
 * Moves a registry in which there is nothing of anybody's (NULs after a power cut, a file cut off after its first
 * character) out of the way with a warning, so that the machine can go on without it; one that is only wrong stays. Before
 * anything else needs the registry. It loads the code that reads one only when it has to.
 */
export async function setGarbageAside({
  root,
  err,
  clock,
}: {
  root: string;
  err: Output;
  clock: () => number;
}): Promise<void> {
  const path = join(root, 'workflow.yaml');
  const judged = await orNull(readFile(path), CANNOT_BE_READ);
  if (judged === null || SECTION.test(judged.toString('latin1'))) return;
  const reason = await reasonNotToRead(root);
  if (reason === null) return;
  const aside = `${path}.damaged-${new Date(clock()).toISOString().replaceAll(':', '-')}`;
  if ((await orNull(rename(path, aside), CANNOT_BE_MOVED)) === null) return;
  if ((await readFile(aside)).equals(judged)) {
    err.line(
      `warning: ${path} held nothing that could be read; it is kept as ${aside}, and uwf goes on without it. ${reason}`,
    );
    return;
  }
  // Somebody put a good file there in the meantime.
  await rename(aside, path);
}

async function orNull<T>(work: Promise<T>, expected: ReadonlySet<string>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (expected.has((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw error;
  }
}

/** The first line: what follows says to correct it by hand. */
async function reasonNotToRead(root: string): Promise<string | null> {
  const { readRegistry } = await import('../registry/index.js');
  try {
    await readRegistry(root);
    return null;
  } catch (error) {
    if (isProblem(error, 'invalid-config')) return error.message.split(' Correct the file')[0]!;
    throw error;
  }
}
