import type { Connection } from './connection.js';
import type { ThreadTable } from './store.js';
import { SELECT_THREAD, type StoredThread, toThreadRow } from './thread-row.js';
import { THREAD_STATUSES } from './thread-status.js';
import type { ThreadStatus } from './types.js';

/** Most threads of a node are in one of these, so the index on status would fetch and sort nearly all of them. */
const COMMON: ReadonlySet<ThreadStatus> = new Set(['completed', 'failed', 'cancelled']);

type Statement = { values: string[]; where: string[] };

/** Newest first by id. One prepared statement per kind of query. */
export function createThreadList(connection: Connection): ThreadTable['list'] {
  const statements = new Map<string, ReturnType<typeof connection.query<StoredThread>>>();
  return (query) => {
    const { where, values } = conditions(query);
    const sql = `${SELECT_THREAD} ${where.length === 0 ? '' : `WHERE ${where.join(' AND ')}`} ORDER BY thread.id DESC LIMIT ?`;
    let statement = statements.get(sql);
    if (statement === undefined) {
      statement = connection.query<StoredThread>(sql);
      statements.set(sql, statement);
    }
    return statement.all(...values, query.limit).map(toThreadRow);
  };
}

function conditions(query: Parameters<ThreadTable['list']>[0]): Statement {
  const where: string[] = [];
  const values: string[] = [];
  if (query.before !== undefined) {
    where.push('thread.id<?');
    values.push(query.before);
  }
  if (query.workflow !== undefined) {
    where.push('thread.workflow=?');
    values.push(query.workflow);
  }
  if (query.statuses !== undefined) {
    // `+` keeps SQLite off the index.
    const column = query.statuses.some((status) => COMMON.has(status))
      ? '+thread.status'
      : 'thread.status';
    where.push(`${column} IN (${query.statuses.map(() => '?').join(', ')})`);
    values.push(...query.statuses);
  }
  if (query.q !== undefined && query.q !== '') {
    const pattern = `${query.q.replaceAll(/[\\%_]/g, '\\$&')}%`;
    where.push(
      "(thread.id LIKE ? ESCAPE '\\' OR thread.workflow LIKE ? ESCAPE '\\' OR thread.prompt200 LIKE ? ESCAPE '\\')",
    );
    values.push(pattern, pattern, pattern);
  }
  return { where, values };
}

export function createCountByStatus(connection: Connection): ThreadTable['countByStatus'] {
  const count = connection.query<{ status: ThreadStatus; count: number }>(
    'SELECT status, count(*) AS count FROM thread GROUP BY status',
  );
  return () => {
    const counts = Object.fromEntries(THREAD_STATUSES.map((status) => [status, 0])) as Record<
      ThreadStatus,
      number
    >;
    for (const row of count.all()) counts[row.status] = row.count;
    return counts;
  };
}
