import { isProblem } from '@uncaged/protocol/problem';
import type { Concurrency } from '../registry/index.js';
import type { Store } from '../store/index.js';

/** How many threads may run at once, for those who look: a configuration that cannot be read just now has no say. */
export async function concurrency(store: Store): Promise<Concurrency> {
  const { CONCURRENCY_DEFAULT, readConfig } = await import('../registry/index.js');
  try {
    return (await readConfig(store.root)).concurrency;
  } catch (error) {
    if (isProblem(error, 'invalid-config')) return CONCURRENCY_DEFAULT;
    throw error;
  }
}
