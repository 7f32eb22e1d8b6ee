import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadHasher } from '@uncaged/protocol/ids';
import { isProblem } from '@uncaged/protocol/problem';
import { type Connection, createConnection } from './connection.js';
import { createStore } from './create-store.js';
import { databaseProblem } from './database-errors.js';
import { refuseEmptied } from './emptied.js';
import { createPrivateDirectory, createPrivateFile } from './files.js';
import {
  BUSY_RETRY_MS,
  BUSY_TIMEOUT_MS,
  PAGE_CACHE_KIB,
  WAL_CAP_PAGES,
  WAL_KEEP_BYTES,
} from './limits.js';
import { migrate, schemaVersion } from './migrate.js';
import { loadSqlite, nativeProblem, type Sqlite } from './native.js';
import type { Store } from './store.js';

export type OpenOptions = {
  /** ms since epoch */
  clock: () => number;
  /** The store must exist and be up to date; nothing can be changed through it. */
  readonly?: boolean;
  /** How long a call may block while another process writes, ms; workers 5,000 (default), API processes 50. */
  busyTimeoutMs?: number;
};

/**
 * Opens `root`/store.db; makes both when they are missing (0700, 0600). Close what you get.
 * Throws native-binding, store-unavailable, store-damaged, store-newer, store-busy, disk-full.
 */
export async function openStore(root: string, options: OpenOptions): Promise<Store> {
  const Database = await loadSqlite();
  const hasher = await loadHasher();
  const connection = await openConnection(Database, root, options);
  return createStore({ root, connection, hasher, clock: options.clock });
}

async function openConnection(
  Database: Sqlite,
  root: string,
  options: OpenOptions,
): Promise<Connection> {
  const path = join(root, 'store.db');
  await refuseEmptied(path);
  const deadline = performance.now() + BUSY_TIMEOUT_MS;
  for (;;) {
    try {
      return openOnce(Database, root, path, options);
    } catch (error) {
      // Turning on the WAL does not wait for another process that is doing the same. A worker that lives is told at once.
      const isLocked = isProblem(error, 'store-busy') && 'sqlite' in (error.details ?? {});
      if (!isLocked || performance.now() > deadline) throw error;
    }
    await sleep(BUSY_RETRY_MS);
  }
}

function openOnce(Database: Sqlite, root: string, path: string, options: OpenOptions): Connection {
  const readonly = options.readonly ?? false;
  try {
    if (!readonly) {
      createPrivateDirectory(root);
      createPrivateFile(path);
    }
    const db = new Database(path, {
      readonly,
      fileMustExist: true,
      timeout: options.busyTimeoutMs ?? BUSY_TIMEOUT_MS,
    });
    const connection = createConnection(db, path);
    try {
      configure(connection, readonly);
      migrate(connection, readonly);
    } catch (error) {
      connection.close();
      throw error;
    }
    return connection;
  } catch (error) {
    throw databaseProblem(nativeProblem(error), path);
  }
}

function configure(connection: Connection, readonly: boolean): void {
  // Reads the file's header first: what is no database, or a newer one, is refused before anything could touch it.
  const isNew = schemaVersion(connection) === 0;
  connection.exec(`PRAGMA cache_size=-${PAGE_CACHE_KIB}`);
  // A savepoint keeps the pages it changes; beyond 64 KiB that would be a file, made and removed in each group commit.
  connection.exec('PRAGMA temp_store=MEMORY');
  // Costs a look-up in a page that is at hand, and keeps a collector's mistake from taking a thread's head.
  connection.exec('PRAGMA foreign_keys=ON');
  if (readonly) return;
  // Must come before the first page of a new file; in an old one it would be a write at each opening.
  if (isNew) connection.exec('PRAGMA auto_vacuum=INCREMENTAL');
  connection.exec('PRAGMA journal_mode=WAL');
  // Renewal threads move the WAL by `checkpoint`; a writer does it itself only when they do not keep up.
  connection.exec(`PRAGMA wal_autocheckpoint=${WAL_CAP_PAGES}`);
  connection.exec(`PRAGMA journal_size_limit=${WAL_KEEP_BYTES}`);
}
