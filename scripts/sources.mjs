import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { repository } from './paths.mjs';

const FOLDERS = ['protocol', 'gateway', 'agent-node', 'dashboard', 'tests', 'bench', 'scripts'];
const LEFT_OUT = new Set(['node_modules', 'dist', 'coverage']);
const CODE = /\.(ts|tsx|mts|mjs|js)$/;
const TEST = /\.(test|test-d|test-data)\.tsx?$/;

/** @returns {{path: string, text: string, isTest: boolean}[]} every file of code in the repository, path from its root. */
export function readSources() {
  return FOLDERS.flatMap((folder) => filesBelow(join(repository, folder))).map((file) => {
    const path = relative(repository, file);
    return {
      path,
      text: readFileSync(file, 'utf8'),
      isTest: TEST.test(path) || path.startsWith('tests/'),
    };
  });
}

function filesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return LEFT_OUT.has(entry.name) ? [] : filesBelow(path);
    return entry.isFile() && CODE.test(entry.name) ? [path] : [];
  });
}
