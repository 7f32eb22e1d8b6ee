import type { Connection } from './connection.js';
import type { ThreadTable } from './store.js';
import { SELECT_THREAD, type StoredThread, toThreadRow } from './thread-row.js';

/** Oldest first by id. Two queries, for each of the two has an index of its own. */
export function createRelatives(connection: Connection): ThreadTable['relatives'] {
  const forks = connection.query<StoredThread>(
    `${SELECT_THREAD} WHERE thread.forkedFrom=? ORDER BY thread.id LIMIT ?`,
  );
  const children = connection.query<StoredThread>(
    `${SELECT_THREAD} WHERE thread.parent=? ORDER BY thread.id LIMIT ?`,
  );
  return (of, limit) =>
    [...forks.all(of, limit), ...children.all(of, limit)]
      .map(toThreadRow)
      .sort((a, b) => (a.id < b.id ? -1 : 1))
      .slice(0, limit);
}

/** Copies from packs are nobody's to steer. */
export function createOpenDescendants(connection: Connection): ThreadTable['openDescendants'] {
  const open = connection.query<StoredThread>(`
    WITH RECURSIVE below(id) AS (
      SELECT id FROM thread WHERE parent=?
      UNION SELECT thread.id FROM below JOIN thread ON thread.parent=below.id)
    ${SELECT_THREAD} WHERE thread.id IN (SELECT id FROM below) AND thread.imported=0
      AND (thread.status NOT IN ('completed', 'failed', 'cancelled') OR (thread.status='failed' AND thread.returnCode IS NULL))
    ORDER BY thread.depth, thread.id`);
  return (of) => open.all(of).map(toThreadRow);
}
