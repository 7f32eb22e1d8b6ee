import { Problem } from '@uncaged/protocol/problem';
import { nanoid } from 'nanoid';
import type { Connection } from './connection.js';
import { MIGRATIONS } from './migrations.js';

export const STORE_ID = 'storeId';

/**
 * Brings the schema up to date. The version is read again inside the transaction: two processes may open a new store at
 * once, the second finds everything done. Throws store-newer; store-unavailable when it must migrate but is `readonly`.
 */
export function migrate(connection: Connection, readonly: boolean): void {
  const version = connection.value<number>('PRAGMA user_version');
  if (current(connection, version()) === MIGRATIONS.length) return;
  if (readonly) {
    throw new Problem(
      'store-unavailable',
      `${connection.path} was written by an older version or is empty. Run any command that writes first.`,
    );
  }
  connection.begin('full');
  try {
    const from = current(connection, version());
    for (const script of MIGRATIONS.slice(from)) connection.exec(script);
    connection.change('INSERT OR IGNORE INTO setting(key, value) VALUES(?, ?)')(STORE_ID, nanoid());
    connection.exec(`PRAGMA user_version=${MIGRATIONS.length}`);
    connection.commit();
  } catch (error) {
    connection.rollback();
    throw error;
  }
}

function current(connection: Connection, version: number | undefined): number {
  const known = version ?? 0;
  if (known <= MIGRATIONS.length) return known;
  throw new Problem(
    'store-newer',
    `${connection.path} has schema ${known}; this version of uwf knows ${MIGRATIONS.length}. Update uwf on this machine.`,
    { details: { found: known, known: MIGRATIONS.length } },
  );
}
