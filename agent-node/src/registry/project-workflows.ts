import type { Dirent, Stats } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { dirname, join, parse } from 'node:path';
import { workflowNameSchema } from '@uncaged/protocol/ids';

export const PROJECT_DIRECTORY = '.workflows';
const EXTENSIONS = ['yaml', 'yml', 'json'] as const;
const OTHERS_WRITE = 0o002;

export type ProjectWorkflow = { name: string; path: string };

/**
 * `.workflows` directories that count for `cwd`, nearest first: upward to the top of its git repository, or to the root
 * of the file system outside of one.
 */
async function projectDirectories(cwd: string): Promise<string[]> {
  const found: string[] = [];
  for (let directory = cwd; ; directory = dirname(directory)) {
    const candidate = join(directory, PROJECT_DIRECTORY);
    if ((await statOrNull(candidate))?.isDirectory() && (await isTrusted(directory, candidate))) {
      found.push(candidate);
    }
    if (directory === dirname(directory) || (await statOrNull(join(directory, '.git'))) !== null)
      return found;
  }
}

/** In a directory where everybody may write (like /tmp) somebody else's `.workflows` is not ours to run. */
async function isTrusted(parent: string, candidate: string): Promise<boolean> {
  const shared = await statOrNull(parent);
  if (shared === null || (shared.mode & OTHERS_WRITE) === 0) return true;
  const owner = (await statOrNull(candidate))?.uid;
  return owner === 0 || owner === process.getuid?.();
}

/** Path of the project's workflow of this name, or null. */
export async function findProjectWorkflow(cwd: string, name: string): Promise<string | null> {
  for (const directory of await projectDirectories(cwd)) {
    for (const extension of EXTENSIONS) {
      const path = join(directory, `${name}.${extension}`);
      if ((await statOrNull(path))?.isFile()) return path;
    }
  }
  return null;
}

/** All workflows of the project by name; a nearer directory wins. */
export async function listProjectWorkflows(cwd: string): Promise<ProjectWorkflow[]> {
  const found = new Map<string, string>();
  for (const directory of await projectDirectories(cwd)) {
    const files = await readdir(directory, { withFileTypes: true });
    // The order of EXTENSIONS decides between two files of one name, as in findProjectWorkflow.
    for (const extension of EXTENSIONS) {
      for (const file of files) {
        const name = nameOf(file, extension);
        if (name !== null && !found.has(name)) found.set(name, join(directory, file.name));
      }
    }
  }
  return [...found]
    .map(([name, path]) => ({ name, path }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function nameOf(file: Dirent, extension: string): string | null {
  const { name, ext } = parse(file.name);
  if (ext !== `.${extension}` || file.isDirectory()) return null;
  return workflowNameSchema.safeParse(name).success ? name : null;
}

async function statOrNull(path: string): Promise<Stats | null> {
  try {
    return await stat(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Above the project there may be directories that this user cannot look into.
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EACCES' || code === 'ELOOP')
      return null;
    throw error;
  }
}
