import { Problem } from '@uncaged/protocol/problem';
import { nanoid } from 'nanoid';
import { isProcessDead } from '../process/index.js';
import type { Connection } from './connection.js';
import { MIGRATIONS } from './migrations.js';
import type { ProcessIdentity } from './types.js';

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
 * once, the second finds everything done. Throws store-newer; store-unavailable when it must migrate but is `readonly`;
 * store-busy while a worker that knows only the schema as it is lives.
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
    const found = schemaVersion(connection);
    if (found > 0 && found < MIGRATIONS.length) refuseUnderWorkers(connection);
    for (const script of MIGRATIONS.slice(found)) connection.exec(script);
    connection.change('INSERT OR IGNORE INTO setting(key, value) VALUES(?, ?)')(STORE_ID, nanoid());
    connection.exec(`PRAGMA user_version=${MIGRATIONS.length}`);
    connection.commit();
  } catch (error) {
    connection.rollback();
    throw error;
  }
}

type Worker = ProcessIdentity & { key: string; version: string };

function refuseUnderWorkers(connection: Connection): void {
  const workers = connection.query<Worker>(
    'SELECT key, pid, processStart, bootId, version FROM worker ORDER BY key',
  );
  const alive = workers.all().find((worker) => !isProcessDead(worker));
  if (alive === undefined) return;
  throw new Problem(
    'store-busy',
    `${connection.path} must be brought up to date, but process ${alive.pid}, a worker of version ${alive.version}, still ` +
      'runs threads on it as it is. Let its threads end, or end it: they are interrupted then and can be resumed ' +
      `(\`kill ${alive.pid}\`). Then try again.`,
    { details: { path: connection.path, pid: alive.pid } },
  );
}
