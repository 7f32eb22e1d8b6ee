import type { Hash } from '@uncaged/protocol/ids';
import type { Store } from './store.js';
import type { Collected, CollectOptions, UpkeepProgress, Verified } from './upkeep-types.js';

/** What the tests of collecting and verifying build on. */

/** Runs it to its end; `between` is called wherever it could be stopped. */
export async function drain<R>(
  work: AsyncGenerator<UpkeepProgress, R, undefined>,
  between: (progress: UpkeepProgress) => void = () => undefined,
): Promise<R> {
  for (;;) {
    const step = await work.next();
    if (step.done) return step.value;
    between(step.value);
  }
}

export function collect(
  store: Store,
  options: Partial<CollectOptions> & { roots?: Iterable<Hash> } = {},
): Promise<Collected> {
  const registryRoots = async () => options.roots ?? [];
  return drain(store.upkeep.collect({ registryRoots, graceMs: 0, ...options }));
}

export const verify = (store: Store): Promise<Verified> => drain(store.upkeep.verify());

export function everyHash(store: Store): Hash[] {
  const found: Hash[] = [];
  for (;;) {
    const after = found.at(-1);
    const page = store.nodes.list({ limit: 1_000, ...(after === undefined ? {} : { after }) });
    found.push(...page.map(({ hash }) => hash));
    if (page.length < 1_000) return found;
  }
}
