import { type FileHandle, link, open, rename, rm, stat } from 'node:fs/promises';
import { Problem } from '@uncaged/protocol/problem';
import { nanoid } from 'nanoid';
import { isDiskFull } from '../../process/index.js';

type NewFileOptions = {
  /** Takes the place of a file that is there. */
  overwrite: boolean;
  /** Gives up; nothing is left behind. */
  signal: AbortSignal;
};

/** What a person made is the person's: read and written by nobody else, for it holds prompts and outputs. */
const FILE_MODE = 0o600;

/**
 * Writes a file that appears under its name when all of it is on the disk, and not before. Throws in-use when there is one
 * already, disk-full, file-not-found (no such directory), forbidden, cancelled.
 */
export async function writeNewFile(
  path: string,
  chunks: AsyncIterable<Uint8Array>,
  { overwrite, signal }: NewFileOptions,
): Promise<void> {
  if (!overwrite && (await isThere(path))) throw thereAlready(path);
  const temporary = `${path}.${nanoid()}.tmp`;
  try {
    const file = await open(temporary, 'wx', FILE_MODE);
    try {
      await writeAll(file, chunks, signal);
      await file.sync();
    } finally {
      await file.close();
    }
    if (overwrite) await rename(temporary, path);
    else await moveToFree(temporary, path);
  } catch (error) {
    throw asProblem(error, path);
  } finally {
    await rm(temporary, { force: true });
  }
}

async function writeAll(
  file: FileHandle,
  chunks: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<void> {
  for await (const chunk of chunks) {
    if (signal.aborted) throw new Problem('cancelled', 'given up; nothing was written');
    await file.writeFile(chunk);
  }
}

/** A second name for the file: the one move that fails when somebody was faster. */
async function moveToFree(temporary: string, path: string): Promise<void> {
  try {
    await link(temporary, path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // A file system that has no second names.
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'EOPNOTSUPP') throw error;
    if (await isThere(path)) throw thereAlready(path);
    await rename(temporary, path);
  }
}

async function isThere(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw asProblem(error, path);
  }
}

function thereAlready(path: string): Problem {
  return new Problem('in-use', `${path} is there already; name another file with -o, or --force`);
}

function asProblem(error: unknown, path: string): unknown {
  if (isDiskFull(error)) return new Problem('disk-full', `disk full: ${path}`, { cause: error });
  switch ((error as NodeJS.ErrnoException).code) {
    case 'EEXIST':
      return thereAlready(path);
    case 'ENOENT':
    case 'ENOTDIR':
      return new Problem('file-not-found', `there is no directory for ${path}`, { cause: error });
    case 'EISDIR':
      return new Problem('invalid-argument', `${path} is a directory; name a file in it`, {
        cause: error,
      });
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return new Problem('forbidden', `${path} may not be written`, { cause: error });
    default:
      return error;
  }
}
