import type { Connection } from './connection.js';
import { IDEMPOTENCY_KEEP_MS } from './limits.js';
import type { IdempotencyTable } from './store.js';

export function createIdempotencyTable(
  connection: Connection,
  clock: () => number,
): IdempotencyTable {
  const select = connection.query<{ body: Buffer; thread: string }>(
    'SELECT body, thread FROM idempotency WHERE key=? AND at>?',
  );
  const insert = connection.change(
    'INSERT OR REPLACE INTO idempotency(key, body, thread, at) VALUES(?, ?, ?, ?)',
  );
  const expire = connection.change('DELETE FROM idempotency WHERE at<=?');
  return {
    get: (key) => select.get(key, clock() - IDEMPOTENCY_KEEP_MS) ?? null,
    put: (key, body, thread) => {
      const now = clock();
      expire(now - IDEMPOTENCY_KEEP_MS);
      insert(key, body, thread, now);
    },
  };
}
