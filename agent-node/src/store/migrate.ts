import { Problem } from '@uncaged/protocol/problem';
import { nanoid } from 'nanoid';
import type { Connection } from './connection.js';
import { MIGRATIONS } from './migrations.js';

export const STORE_ID = 'storeId';

/** How many migrations have run; 0 in a new file. Throws store-newer. */
export function schemaVersion(connection: Connection): number {
  const version = connection.value<number>('PRAGMA user_version')() ?? 0;
  if (version <= MIGRATIONS.length) return version;
  throw new Problem(
    'store-newer',
    `${connection.path} has schema ${version}; this version of uwf knows ${MIGRATIONS.length}. Update uwf on this machine.`,
    { details: { found: version, known: MIGRATIONS.length } },
  );
}

/**
 * Brings the schema up to date. The version is read again inside the transaction: two processes may open a new store at
 * once, the second finds everything done. Throws store-newer; store-unavailable when it must migrate but is `readonly`.
 */
export function migrate(connection: Connection, readonly: boolean): void {
  if (schemaVersion(connection) === MIGRATIONS.length) return;
  if (readonly) {
    throw new Problem(
      'store-unavailable',
      `${connection.path} was written by an older version or is empty. Run any command that writes first.`,
    );
  }
  connection.begin('full');
  try {
    for (const script of MIGRATIONS.slice(schemaVersion(connection))) connection.exec(script);
    connection.change('INSERT OR IGNORE INTO setting(key, value) VALUES(?, ?)')(STORE_ID, nanoid());
    connection.exec(`PRAGMA user_version=${MIGRATIONS.length}`);
    connection.commit();
  } catch (error) {
    connection.rollback();
    throw error;
  }
}
