import { constants } from 'node:fs';
import { mkdir, open, readFile, realpath, rename, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isProblem, Problem } from '@uncaged/protocol/problem';
import { Document, isMap, isScalar } from 'yaml';
import { isDiskFull } from '../process/index.js';
import { acquireLock } from '../store/index.js';
import type { ConfigError } from './config-error.js';
import {
  FINDINGS_SHOWN_MAX,
  REGISTRY_EDIT_TRIES,
  REGISTRY_LOCK_RETRY_MS,
  REGISTRY_LOCK_WAIT_MS,
  REGISTRY_MAX_BYTES,
} from './limits.js';
import { deleteEntry, type RegistryEntry, readEntries, writeEntry } from './registry-entry.js';
import { parseYamlSource, type YamlSource } from './yaml-source.js';

export const REGISTRY_FILE = 'workflow.yaml';

/** `workflow.yaml` as read once; a file that does not exist is one without entries. */
export type RegistryFile = {
  path: string;
  entries: ReadonlyMap<string, RegistryEntry>;
  /** Plain value of `config`, unchecked; undefined when absent. */
  config: unknown;
  source: YamlSource;
};

/** An edit in progress: what is in the file now, and how to change it. */
export type RegistryEdit = {
  entries: ReadonlyMap<string, RegistryEntry>;
  set: (name: string, entry: RegistryEntry) => void;
  delete: (name: string) => void;
};

type LockTimes = { waitMs: number; retryMs: number };

/** Throws invalid-config with line and column; store-unavailable when the file cannot be read. */
export async function readRegistry(root: string): Promise<RegistryFile> {
  const path = join(root, REGISTRY_FILE);
  return parseRegistry(path, decode(path, await readBytes(path)));
}

/**
 * One edit under `registry.lock`: read, change, write a new file, rename. Comments and order stay. When `edit` changes
 * nothing, nothing is written. Throws registry-locked after `waitMs`, invalid-config (then the file is left as it is),
 * disk-full, store-unavailable, and what `edit` throws.
 */
export async function editRegistry<T>(
  root: string,
  edit: (registry: RegistryEdit) => T,
  times: LockTimes = { waitMs: REGISTRY_LOCK_WAIT_MS, retryMs: REGISTRY_LOCK_RETRY_MS },
): Promise<T> {
  await mkdir(root, { recursive: true, mode: 0o700 });
  const lock = await lockRegistry(root, times);
  try {
    // A link stays a link: the file it leads to is replaced.
    const path = await realTarget(join(root, REGISTRY_FILE));
    for (let attempt = 1; ; attempt++) {
      const before = await readBytes(path);
      const file = parseRegistry(path, decode(path, before));
      const document = file.source.document ?? new Document();
      const entries = new Map(file.entries);
      let changed = false;
      const result = edit({
        entries,
        set: (name, entry) => {
          changed = true;
          entries.set(name, entry);
          writeEntry(document as Document.Parsed, name, entry);
        },
        delete: (name) => {
          changed = true;
          entries.delete(name);
          deleteEntry(document as Document.Parsed, name);
        },
      });
      if (!changed) return result;
      const text = document.toString({ lineWidth: 0 });
      const crlf = before?.includes('\r\n') === true;
      if (await replaceFile(path, crlf ? text.replaceAll('\n', '\r\n') : text, before))
        return result;
      if (attempt >= REGISTRY_EDIT_TRIES) {
        throw new Problem(
          'registry-locked',
          `${path} keeps changing while it is edited. Close the program that writes it, then run the command again.`,
        );
      }
    }
  } finally {
    lock.release();
  }
}

/** invalid-config for the first errors of a file; the rest is counted. */
export function configProblem(
  path: string,
  source: YamlSource,
  errors: readonly ConfigError[],
): Problem {
  const placed = errors.map((error) => ({ ...error, ...source.positionOf(error.path) }));
  const shown = placed.slice(0, FINDINGS_SHOWN_MAX).map((error) => {
    const field = error.path.length === 0 ? '' : `${error.path.join('.')} `;
    return `${path}:${error.line}:${error.column}: ${field}${error.message}`;
  });
  const more = placed.length > shown.length ? `\n… and ${placed.length - shown.length} more` : '';
  return new Problem(
    'invalid-config',
    `${shown.join('\n')}${more}\nCorrect the file by hand; nothing was written to it.`,
    { details: { errors: placed } },
  );
}

function parseRegistry(path: string, text: string): RegistryFile {
  const source = parseYamlSource(text);
  const broken = source.findings.filter((finding) => finding.severity === 'error');
  const first = broken[0];
  if (first !== undefined) {
    throw new Problem(
      'invalid-config',
      `${path}:${first.line}:${first.column}: ${first.message} ${first.fix} Correct the file by hand; nothing was written to it.`,
      { details: { errors: broken } },
    );
  }
  const document = source.document!;
  const contents = document.contents;
  if (contents === null || (isScalar(contents) && contents.value === null)) {
    return { path, entries: new Map(), config: undefined, source };
  }
  if (!isMap(contents)) {
    throw configProblem(path, source, [
      { path: [], message: 'the file must have the sections "config" and "workflows".' },
    ]);
  }
  const { entries, errors } = readEntries(document);
  if (errors.length > 0) throw configProblem(path, source, errors);
  const config: unknown = (document.toJS({ maxAliasCount: -1 }) as { config?: unknown }).config;
  return { path, entries, config, source };
}

async function readBytes(path: string): Promise<Buffer | null> {
  try {
    const { size } = await stat(path);
    if (size > REGISTRY_MAX_BYTES) {
      throw new Problem(
        'invalid-config',
        `${path} has ${size} bytes; more than ${REGISTRY_MAX_BYTES} are not read. Remove old history entries from it.`,
      );
    }
    return await readFile(path);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT') return null;
    if (code === 'EISDIR') {
      throw new Problem(
        'invalid-config',
        `${path} is a directory. Move it away; the registry is a file.`,
        {
          cause: error,
        },
      );
    }
    if (code === undefined) throw error;
    throw fileProblem('read', path, error);
  }
}

function decode(path: string, bytes: Buffer | null): string {
  if (bytes === null) return '';
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new Problem(
      'invalid-config',
      `${path}:1:1: the file is not UTF-8 text. Restore it from a copy.`,
      {
        cause: error,
      },
    );
  }
}

async function realTarget(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return path;
    throw fileProblem('read', path, error);
  }
}

/** False when the file is no longer what the edit began with. */
async function replaceFile(path: string, text: string, before: Buffer | null): Promise<boolean> {
  // One name, because only the holder of the lock writes: what a killed edit left is written over.
  const temporary = `${path}.tmp`;
  try {
    // Provider keys may be in it: for the owner only, unless somebody chose otherwise.
    const mode = before === null ? 0o600 : (await stat(path)).mode & 0o777;
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW;
    const file = await open(temporary, flags, mode);
    try {
      await file.writeFile(text);
      await file.chmod(mode);
      await file.sync();
    } finally {
      await file.close();
    }
    const now = await readBytes(path);
    const same = before === null ? now === null : now?.equals(before) === true;
    if (!same) {
      await unlink(temporary);
      return false;
    }
    await rename(temporary, path);
    const directory = await open(dirname(path), constants.O_RDONLY);
    try {
      await directory.sync();
    } finally {
      await directory.close();
    }
    return true;
  } catch (error) {
    await unlink(temporary).catch((failure: NodeJS.ErrnoException) => {
      if (failure.code !== 'ENOENT') throw fileProblem('write', path, failure);
    });
    throw isProblem(error) ? error : fileProblem('write', path, error);
  }
}

function fileProblem(what: 'read' | 'write', path: string, error: unknown): Problem {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === undefined)
    return new Problem('internal', `${path}: ${String(error)}`, { cause: error });
  if (isDiskFull(error)) {
    return new Problem(
      'disk-full',
      `disk full: ${path}; free some space on its file system, then run the command again`,
      {
        cause: error,
      },
    );
  }
  return new Problem(
    'store-unavailable',
    `Cannot ${what} ${path} (${code}). Check its permissions, or choose another directory with WORKFLOW_STORAGE_ROOT.`,
    { cause: error },
  );
}

async function lockRegistry(root: string, times: LockTimes): Promise<{ release: () => void }> {
  const deadline = performance.now() + times.waitMs;
  for (;;) {
    try {
      return await acquireLock(join(root, 'registry.lock'));
    } catch (error) {
      if (!isProblem(error) || !error.retryable || performance.now() >= deadline) throw error;
    }
    await delay(times.retryMs * (0.5 + Math.random()));
  }
}
