import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { Problem } from '@uncaged/protocol/problem';
import { isDiskFull } from '../process/index.js';
import { DISK_FULL_BELOW_BYTES } from './limits.js';
import { walWriter } from './lock-holder.js';

/**
 * What SQLite or the file system said about the database at `path`, as a Problem. What is no expected failure (a
 * constraint, a bug) comes back unchanged; the caller throws what it gets.
 */
export function databaseProblem(error: unknown, path: string): unknown {
  if (!(error instanceof Error) || error instanceof Problem || !('code' in error)) return error;
  const code = String(error.code);
  if (!code.startsWith('SQLITE_')) return fileProblem(error, code, path);
  const options = { cause: error, details: { path, sqlite: code } };
  switch (/^SQLITE_[A-Z]+/.exec(code)?.[0]) {
    case 'SQLITE_FULL':
      return diskFull(path, options);
    case 'SQLITE_IOERR':
      if (isNearlyFull(path)) return diskFull(path, options);
      return new Problem(
        'store-unavailable',
        `The disk failed while ${path} was read or written (${code}). Check the disk (dmesg), then try again.`,
        options,
      );
    case 'SQLITE_CORRUPT':
    case 'SQLITE_NOTADB':
      return new Problem(
        'store-damaged',
        `${path} is damaged or not a store (${error.message}). Nothing was changed. Move it and its -wal and -shm files ` +
          'away and put a backup in their place; without one, `sqlite3 <file> .recover` saves what can be read, and ' +
          'the next command starts an empty store.',
        options,
      );
    case 'SQLITE_BUSY':
    case 'SQLITE_LOCKED':
    case 'SQLITE_PROTOCOL':
      return busy(path, options);
    case 'SQLITE_READONLY':
    case 'SQLITE_CANTOPEN':
    case 'SQLITE_PERM':
    case 'SQLITE_AUTH':
      return new Problem(
        'store-unavailable',
        `${path} cannot be opened for writing (${error.message}). Make it and its directory writable for this user, or ` +
          'choose another place with UNCAGED_WORKFLOW_STORAGE_ROOT.',
        options,
      );
    default:
      return error;
  }
}

type Options = { cause: Error; details: Record<string, unknown> };

function diskFull(path: string, options: Options): Problem {
  return new Problem(
    'disk-full',
    `disk full: ${path}; nothing of this was written. Free some space on its file system (removing from the store takes some ` +
      'itself), or choose another place with UNCAGED_WORKFLOW_STORAGE_ROOT, then try again.',
    options,
  );
}

function busy(path: string, options: Options): Problem {
  const pid = walWriter(path);
  const who = pid === null ? 'Another process' : `Process ${pid}`;
  return new Problem(
    'store-busy',
    `${who} is writing to ${path} and has not finished. Try again; if it stays so, see whether that process is stopped.`,
    { ...options, details: { ...options.details, pid } },
  );
}

/** SQLite keeps the system's error to itself; space is asked for instead. */
function isNearlyFull(path: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(dirname(path));
    return bavail * bsize < DISK_FULL_BELOW_BYTES;
  } catch (error) {
    // The directory is gone or out of reach: then the disk is not merely full.
    if (error instanceof Error && 'code' in error) return false;
    throw error;
  }
}

function fileProblem(error: Error, code: string, path: string): unknown {
  const options = { cause: error, details: { path, errno: code } };
  if (isDiskFull(error)) return diskFull(path, options);
  const why = FILE_ERRORS.get(code);
  if (why === undefined) return error;
  return new Problem(
    'store-unavailable',
    `The store cannot be used at ${path}: ${why} (${code}). Correct that, or choose another place with ` +
      'UNCAGED_WORKFLOW_STORAGE_ROOT.',
    options,
  );
}

const FILE_ERRORS: ReadonlyMap<string, string> = new Map([
  ['EACCES', 'this user may not write there'],
  ['EPERM', 'this user may not write there'],
  ['EROFS', 'the file system is read-only'],
  ['ENOTDIR', 'part of the path is a file, not a directory'],
  ['EEXIST', 'it is a file, not a directory'],
  ['EISDIR', 'a directory stands where a file belongs'],
  ['ENOENT', 'it does not exist'],
  ['ELOOP', 'the path runs in a circle of links'],
  ['ENAMETOOLONG', 'the path is too long'],
  ['EIO', 'the disk failed'],
]);
