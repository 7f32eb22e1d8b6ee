import type { Connection } from './connection.js';
import type { LiveTable } from './store.js';
import type { LiveRow } from './types.js';

export function createLiveTable(connection: Connection): LiveTable {
  const insert = connection.change(
    'INSERT INTO live(thread, seq, n, kind, text) VALUES(?, ?, ?, ?, ?)',
  );
  const after = connection.query<LiveRow>(
    'SELECT thread, seq, n, kind, text FROM live WHERE thread=? AND seq=? AND n>? ORDER BY n LIMIT ?',
  );
  const clear = connection.change('DELETE FROM live WHERE thread=? AND seq=?');
  return {
    append: (row) => void insert(row.thread, row.seq, row.n, row.kind, row.text),
    after: ({ thread, seq, n, limit }) => after.all(thread, seq, n, limit),
    clear: (thread, seq) => void clear(thread, seq),
  };
}
