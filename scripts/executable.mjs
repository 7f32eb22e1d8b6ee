import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The first program on the PATH that has one of the names; null: none has. */
export function findOnPath(names) {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const files = folders.flatMap((folder) => names.map((name) => join(folder, name)));
  return files.find(isExecutable) ?? null;
}

export function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    // not there, or not for us: the next place may have it
    return false;
  }
}
