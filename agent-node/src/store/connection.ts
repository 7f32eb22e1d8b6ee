import type Database from 'better-sqlite3';
import { databaseProblem } from './database-errors.js';
import type { Durability } from './types.js';

type Value = string | number | bigint | Uint8Array | null;

/** Reads. Positional parameters; a row is a plain object, `value` the first column of the first row. */
export type Query<Row> = {
  get: (...values: Value[]) => Row | undefined;
  all: (...values: Value[]) => Row[];
};

/** A write; refused outside of a transaction of `store.write` or `store.enqueue`. */
export type Change = (...values: Value[]) => Database.RunResult;

/**
 * One SQLite connection and its statements, each prepared when first used. It throws Problems (database-errors.ts).
 * Keep it: SQLite's locks vanish with a connection that is collected.
 */
export type Connection = {
  readonly path: string;
  query: <Row>(sql: string) => Query<Row>;
  value: <T>(sql: string) => (...values: Value[]) => T | undefined;
  change: (sql: string) => Change;
  /** For pragmas and schema, not prepared. */
  exec: (sql: string) => void;
  /** BEGIN IMMEDIATE at this durability. */
  begin: (durability: Durability) => void;
  beginRead: () => void;
  commit: () => void;
  rollback: () => void;
  savepoint: () => void;
  release: () => void;
  rollbackToSavepoint: () => void;
  /** SQLite itself ends a transaction after some errors. */
  inTransaction: () => boolean;
  close: () => void;
};

export function createConnection(db: Database.Database, path: string): Connection {
  let synchronous: Durability | null = null;
  let writing = false;

  function guard<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw databaseProblem(error, path);
    }
  }

  function prepared(sql: string, pluck: boolean): () => Database.Statement<Value[]> {
    let statement: Database.Statement<Value[]> | null = null;
    return () => {
      if (statement === null) {
        statement = db.prepare<Value[]>(sql);
        if (pluck) statement.pluck();
      }
      return statement;
    };
  }

  function query<Row>(sql: string): Query<Row> {
    const statement = prepared(sql, false);
    return {
      get: (...values) => {
        try {
          return statement().get(...values) as Row | undefined;
        } catch (error) {
          throw databaseProblem(error, path);
        }
      },
      all: (...values) => guard(() => statement().all(...values) as Row[]),
    };
  }

  function value<T>(sql: string): (...values: Value[]) => T | undefined {
    const statement = prepared(sql, true);
    return (...values) => {
      try {
        return statement().get(...values) as T | undefined;
      } catch (error) {
        throw databaseProblem(error, path);
      }
    };
  }

  function run(sql: string): Change {
    const statement = prepared(sql, false);
    return (...values) => {
      try {
        return statement().run(...values);
      } catch (error) {
        throw databaseProblem(error, path);
      }
    };
  }

  function change(sql: string): Change {
    const statement = run(sql);
    return (...values) => {
      // SQLite may have ended the transaction by itself: what follows must not commit one by one.
      if (!writing || !db.inTransaction)
        throw new Error('this changes the store: call it inside store.write or store.enqueue');
      return statement(...values);
    };
  }

  const beginImmediate = run('BEGIN IMMEDIATE');
  const beginDeferred = run('BEGIN');
  const commit = run('COMMIT');
  const rollback = run('ROLLBACK');
  const savepoint = run('SAVEPOINT work');
  const release = run('RELEASE work');
  const rollbackToSavepoint = run('ROLLBACK TO work');

  return {
    path,
    query,
    value,
    change,
    exec: (sql) => guard(() => void db.exec(sql)),
    begin: (durability) => {
      if (durability !== synchronous) {
        // Cannot change inside a transaction, and is not worth a second connection (docs/decisions/one-connection.md).
        guard(() =>
          db.exec(durability === 'full' ? 'PRAGMA synchronous=FULL' : 'PRAGMA synchronous=NORMAL'),
        );
        synchronous = durability;
      }
      beginImmediate();
      writing = true;
    },
    beginRead: () => void beginDeferred(),
    commit: () => {
      commit();
      writing = false;
    },
    rollback: () => {
      writing = false;
      if (db.inTransaction) rollback();
    },
    savepoint: () => void savepoint(),
    release: () => void release(),
    rollbackToSavepoint: () => void rollbackToSavepoint(),
    inTransaction: () => db.inTransaction,
    close: () => guard(() => void db.close()),
  };
}
