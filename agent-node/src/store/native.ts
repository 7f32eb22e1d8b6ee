import { Problem } from '@uncaged/protocol/problem';
import type Database from 'better-sqlite3';

export type Sqlite = typeof Database;

/** Loaded when the first store is opened: commands that need none start without it. Throws native-binding. */
export async function loadSqlite(): Promise<Sqlite> {
  try {
    return (await import('better-sqlite3')).default;
  } catch (error) {
    throw nativeProblem(error);
  }
}

/** The binary part is looked for by the first `new Database`, so opening passes its errors through here as well. */
export function nativeProblem(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const code = 'code' in error ? String(error.code) : '';
  const isMissing =
    code === 'ERR_DLOPEN_FAILED' ||
    code === 'MODULE_NOT_FOUND' ||
    code === 'ERR_MODULE_NOT_FOUND' ||
    error.message.startsWith('Could not locate the bindings file');
  if (!isMissing) return error;
  return new Problem(
    'native-binding',
    `The SQLite module better-sqlite3 has no binary for Node ${process.version} on ${process.platform}-${process.arch}: ` +
      'none could be fetched and none was compiled. Install python3, make and g++, then run ' +
      '`npm rebuild better-sqlite3` where this program is installed (about 70 s).',
    { cause: error },
  );
}
