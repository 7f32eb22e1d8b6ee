import type { Connection } from './connection.js';
import type { Durability } from './types.js';

export type Transactions = {
  write: <T>(durability: Durability, work: () => T) => T;
  read: <T>(work: () => T) => T;
};

export function createTransactions(connection: Connection): Transactions {
  return {
    write: (durability, work) => {
      if (connection.inTransaction()) throw new Error('store.write inside a transaction');
      connection.begin(durability);
      return finish(connection, work);
    },
    read: (work) => {
      // Inside a transaction everything is one snapshot already.
      if (connection.inTransaction()) return work();
      connection.beginRead();
      return finish(connection, work);
    },
  };
}

function finish<T>(connection: Connection, work: () => T): T {
  try {
    const result = work();
    refusePromise(result);
    connection.commit();
    return result;
  } catch (error) {
    connection.rollback();
    throw error;
  }
}

/** What an async function does after its first await would run outside of the transaction. */
export function refusePromise(result: unknown): void {
  if (result instanceof Promise) throw new Error('the work of a transaction must be synchronous');
}
