import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';

const DIR_MODE = 0o700;

/**
 * Makes a directory and those above it. Not by `recursive`: where a directory can have no others in it (/proc), Node tries for
 * ever. Throws what the file system says.
 */
export async function makeDirectory(path: string): Promise<void> {
  try {
    await makeOne(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(path) === path) throw error;
    await makeDirectory(dirname(path));
    await makeOne(path);
  }
}

async function makeOne(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: DIR_MODE });
  } catch (error) {
    // What stands there, if it is no directory, shows when something is put into it.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
