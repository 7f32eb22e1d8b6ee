import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  readSync,
} from 'node:fs';
import { BINARY_PROBE_BYTES } from './limits.js';

/** What became of a tracked name on disk. */
export type FileContent =
  | { kind: 'text'; bytes: Buffer; size: number }
  | { kind: 'binary'; size: number }
  /** Larger than asked for; not read. */
  | { kind: 'large'; size: number }
  /** Not there: deleted, or never checked out. */
  | { kind: 'missing' }
  /** There, but no plain file of this tree: a directory, a pipe, behind a symlink, or not ours to read. */
  | { kind: 'other' };

export type FileReader = {
  /** Reads a tracked file of at most `maxBytes`. */
  read: (key: string, maxBytes: number) => FileContent;
  /** Size in bytes of a plain file, as it was when it was read if it was; null when there is none. */
  size: (key: string) => number | null;
  /** Whether something of that name is in the tree, symlinks not followed. */
  exists: (key: string) => boolean;
  /** Target of a symlink as Latin-1 characters, null when it is none. */
  target: (key: string) => string | null;
  /** A descriptor of a plain file, for the caller to close; null when there is none. */
  open: (key: string) => number | null;
};

// NOFOLLOW: a tracked name may have become a symlink to anywhere. NONBLOCK: opening a pipe must not wait for a writer.
const OPEN_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

const NOT_THERE = new Set(['ENOENT', 'ENOTDIR']);
const NOT_OURS = new Set([
  'ELOOP',
  'EACCES',
  'EPERM',
  'ENXIO',
  'EISDIR',
  'ENAMETOOLONG',
  'EMLINK',
  'EINVAL',
  'EIO',
]);

/** Reads names below `root` without ever leaving it: no symlink is followed, not as a directory either. */
export function createFileReader(root: string): FileReader {
  const top = Buffer.from(root === '/' ? '/' : `${root}/`);
  const onDisk = (key: string) => Buffer.concat([top, Buffer.from(key, 'latin1')]);
  const directories = new Map<string, boolean>([['', true]]);

  const isPlainDirectory = (directory: string): boolean => {
    const known = directories.get(directory);
    if (known !== undefined) return known;
    const parent = directory.slice(0, Math.max(0, directory.lastIndexOf('/')));
    const plain =
      isPlainDirectory(parent) &&
      attempt(() => lstatSync(onDisk(directory)).isDirectory()) === true;
    directories.set(directory, plain);
    return plain;
  };
  const reachable = (key: string) =>
    isPlainDirectory(key.slice(0, Math.max(0, key.lastIndexOf('/'))));
  // Asked of many names that are not there, and an error for each would take longer than the question.
  const status = (key: string) =>
    reachable(key)
      ? (attempt(() => lstatSync(onDisk(key), { throwIfNoEntry: false })) ?? 'missing')
      : 'missing';
  const sizes = new Map<string, number>();

  return {
    read: (key, maxBytes) => {
      if (!reachable(key)) return { kind: 'missing' };
      const descriptor = attempt(() => openSync(onDisk(key), OPEN_FLAGS));
      if (descriptor === 'missing' || descriptor === 'other') return { kind: descriptor };
      try {
        const content = readOpen(descriptor, maxBytes);
        if ('size' in content) sizes.set(key, content.size);
        return content;
      } finally {
        closeSync(descriptor);
      }
    },
    size: (key) => {
      const known = sizes.get(key);
      if (known !== undefined) return known;
      const found = status(key);
      return typeof found === 'object' && found.isFile() ? found.size : null;
    },
    exists: (key) => typeof status(key) === 'object',
    target: (key) => {
      if (!reachable(key)) return null;
      const target = attempt(() => readlinkSync(onDisk(key), 'buffer'));
      return typeof target === 'string' ? null : target.toString('latin1');
    },
    open: (key) => {
      if (!reachable(key)) return null;
      const descriptor = attempt(() => openSync(onDisk(key), OPEN_FLAGS));
      if (typeof descriptor === 'string') return null;
      if (fstatSync(descriptor).isFile()) return descriptor;
      closeSync(descriptor);
      return null;
    },
  };
}

function readOpen(descriptor: number, maxBytes: number): FileContent {
  const status = fstatSync(descriptor);
  if (!status.isFile()) return { kind: 'other' };
  if (status.size > maxBytes) return { kind: 'large', size: status.size };
  const bytes = Buffer.allocUnsafe(status.size);
  let filled = 0;
  while (filled < bytes.length) {
    const got = readSync(descriptor, bytes, filled, bytes.length - filled, null);
    if (got === 0) break;
    filled += got;
  }
  const content = bytes.subarray(0, filled);
  if (content.subarray(0, BINARY_PROBE_BYTES).includes(0)) return { kind: 'binary', size: filled };
  return { kind: 'text', bytes: content, size: filled };
}

function attempt<T>(action: () => T): T | 'missing' | 'other' {
  try {
    return action();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    if (NOT_THERE.has(code)) return 'missing';
    if (NOT_OURS.has(code)) return 'other';
    throw error;
  }
}
