import type { Connection } from './connection.js';
import type { WorkerTable } from './store.js';
import type { WorkerRow } from './types.js';

export function createWorkerTable(connection: Connection): WorkerTable {
  const columns = 'key, instance, pid, processStart, bootId, version, startedAt, renewedAt';
  const get = connection.query<WorkerRow>(`SELECT ${columns} FROM worker WHERE key=?`);
  const list = connection.query<WorkerRow>(`SELECT ${columns} FROM worker ORDER BY key`);
  const put = connection.change(
    `INSERT OR REPLACE INTO worker(${columns}) VALUES(?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const queued = connection.value<number>(
    "SELECT 1 FROM thread WHERE status='queued' AND worker=? LIMIT 1",
  );
  const renew = connection.change('UPDATE worker SET renewedAt=? WHERE instance=?');
  const remove = connection.change('DELETE FROM worker WHERE key=? AND instance=?');
  return {
    get: (key) => get.get(key) ?? null,
    list: () => list.all(),
    register: (worker, isDead) => {
      const other = get.get(worker.key);
      if (other !== undefined && other.instance !== worker.instance && !isDead(other)) return false;
      put(
        worker.key,
        worker.instance,
        worker.pid,
        worker.processStart,
        worker.bootId,
        worker.version,
        worker.startedAt,
        worker.renewedAt,
      );
      return true;
    },
    renew: (instance, renewedAt) => void renew(renewedAt, instance),
    retire: (key, instance) => {
      if (queued(key) !== undefined) return false;
      remove(key, instance);
      return true;
    },
  };
}
