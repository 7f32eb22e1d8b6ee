import type { Connection } from './connection.js';
import { EVENT_TEXT_MAX_CHARS } from './limits.js';
import type { EventTable } from './store.js';
import type { EventRow, EventType, Failure } from './types.js';

type Row = Omit<EventRow, 'data'> & { data: string };

export function createEventTable(connection: Connection, clock: () => number): EventTable {
  const insert = connection.change('INSERT INTO event(thread, type, at, data) VALUES(?, ?, ?, ?)');
  const afterAll = connection.query<Row>(
    'SELECT seq, thread, type, at, data FROM event WHERE seq>? ORDER BY seq LIMIT ?',
  );
  const afterOfThread = connection.query<Row>(
    'SELECT seq, thread, type, at, data FROM event WHERE thread=? AND seq>? ORDER BY seq LIMIT ?',
  );
  // Not the largest seq there is: events of a removed thread are gone, and numbers are never given twice.
  const last = connection.value<number>("SELECT seq FROM sqlite_sequence WHERE name='event'");
  return {
    append: ({ thread, type, data }) =>
      Number(insert(thread, type, clock(), JSON.stringify(data)).lastInsertRowid),
    after: ({ seq, thread, limit }) => {
      const rows =
        thread === undefined ? afterAll.all(seq, limit) : afterOfThread.all(thread, seq, limit);
      return rows.map((row) => ({
        ...row,
        type: row.type as EventType,
        data: JSON.parse(row.data),
      }));
    },
    lastSeq: () => last() ?? 0,
  };
}

/** A failure as an event carries it: the row has the whole message. */
export function eventFailure(problem: Failure): Failure {
  return { code: problem.code, message: eventText(problem.message) };
}

export function eventText(text: string): string {
  return text.length <= EVENT_TEXT_MAX_CHARS
    ? text
    : `${text.slice(0, EVENT_TEXT_MAX_CHARS - 1).toWellFormed()}…`;
}
