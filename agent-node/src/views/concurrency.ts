import { isProblem } from '@uncaged/protocol/problem';
import { CONCURRENCY_DEFAULT, type Concurrency, readConfig } from '../registry/index.js';
import type { Store } from '../store/index.js';

/** How many threads may run at once, for those who look: a configuration that cannot be read just now has no say. */
export async function concurrency(store: Store): Promise<Concurrency> {
  try {
    return (await readConfig(store.root)).concurrency;
  } catch (error) {
    if (isProblem(error, 'invalid-config')) return CONCURRENCY_DEFAULT;
    throw error;
  }
}
