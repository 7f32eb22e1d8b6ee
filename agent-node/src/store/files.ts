import { closeSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { FILE_MODE, ROOT_MODE } from './limits.js';

/**
 * With its parents, 0700; one that exists keeps its permissions. Throws the system's error. Not `recursive: true`: that
 * never returns where a parent exists and yet nothing can be made in it (/proc, on Node 20).
 */
export function createPrivateDirectory(path: string): void {
  try {
    mkdirSync(path, ROOT_MODE);
  } catch (error) {
    if (hasCode(error, 'EEXIST') && statSync(path).isDirectory()) return;
    if (!hasCode(error, 'ENOENT') || dirname(path) === path) throw error;
    createPrivateDirectory(dirname(path));
    mkdirSync(path, ROOT_MODE);
  }
}

/**
 * 0600, if there is none yet. Only a file that is new may be opened and closed here: closing any descriptor of a file
 * drops all of this process's POSIX locks on it, SQLite's own among them.
 */
export function createPrivateFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', FILE_MODE));
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  }
}

/** Tells one file from another that takes its name; null when there is none. */
export function fileIdentity(path: string): string | null {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stat === undefined ? null : `${stat.dev}:${stat.ino}`;
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
