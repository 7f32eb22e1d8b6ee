import { type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { REGISTRY_SETTLED_MS } from './limits.js';
import { REGISTRY_FILE, type RegistryFile, readRegistry } from './registry-file.js';

/** `workflow.yaml` as it is now. Throws as `readRegistry`. */
export type RegistryReader = () => RegistryFile | Promise<RegistryFile>;

/**
 * Reads the file again only when it has changed, for who asks all the time: a look at its inode, size and times instead of
 * reading and parsing. What it gives is shared and must not be changed.
 */
export function createRegistryReader(root: string): RegistryReader {
  const path = join(root, REGISTRY_FILE);
  let known: { mark: string; file: RegistryFile } | null = null;
  return () => {
    const mark = markOf(path);
    if (mark !== null && known?.mark === mark) return known.file;
    return read(mark);
  };

  async function read(mark: string | null): Promise<RegistryFile> {
    const file = await readRegistry(root);
    // It may have been replaced while it was read.
    known = mark !== null && markOf(path) === mark ? { mark, file } : null;
    return file;
  }
}

/** Null for a file that cannot be looked at, and for one that may change once more within the grain of its times, and look the same. */
function markOf(path: string): string | null {
  let stats: Stats | undefined;
  try {
    stats = statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    // Whoever reads it says why that is not possible.
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return null;
  }
  if (stats === undefined) return 'none';
  const { ino, size, mtimeMs, ctimeMs } = stats;
  if (Date.now() - ctimeMs < REGISTRY_SETTLED_MS) return null;
  return `${ino} ${size} ${mtimeMs} ${ctimeMs}`;
}
