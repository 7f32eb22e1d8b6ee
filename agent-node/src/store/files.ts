import { closeSync, mkdirSync, openSync } from 'node:fs';
import { FILE_MODE, ROOT_MODE } from './limits.js';

/** With its parents, 0700; one that exists keeps its permissions. */
export function createPrivateDirectory(path: string): void {
  mkdirSync(path, { recursive: true, mode: ROOT_MODE });
}

/**
 * 0600, if there is none yet. Only a file that is new may be opened and closed here: closing any descriptor of a file
 * drops all of this process's POSIX locks on it, SQLite's own among them.
 */
export function createPrivateFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', FILE_MODE));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}
