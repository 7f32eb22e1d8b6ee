import { routes } from '@uncaged/protocol/api';
import type { Node } from '@uncaged/protocol/cas';
import type { Hash } from '@uncaged/protocol/ids';
import { Problem } from '@uncaged/protocol/problem';
import { registryRoots } from '../registry/index.js';
import { GC_GRACE_MS, type Store, type UpkeepProgress } from '../store/index.js';
import type { ApiContext, Log } from './context.js';
import { entityTag, isFresh, notModified } from './entity-tag.js';
import { linesResponse } from './lines-response.js';
import type { Mount } from './mount.js';
import { pageOf } from './pages.js';

export function mountCas(mount: Mount, { store, whenFree, recover, log }: ApiContext): void {
  mount(routes.listCas, ({ query }) => {
    const rows = store.nodes.list({
      limit: query.limit + 1,
      ...(query.type === undefined ? {} : { type: query.type }),
      ...(query.cursor === undefined ? {} : { after: query.cursor }),
    });
    return pageOf(
      rows,
      query.limit,
      (row) => row,
      (row) => row.hash,
    );
  });

  mount(routes.putCas, async ({ body }) => ({
    hash: await whenFree(() => store.write('full', () => store.nodes.putText(body.text))),
  }));

  mount(routes.getCas, ({ params: { hash }, headers }) => {
    const node = nodeOf(store, hash);
    if (isFresh(hash, headers['if-none-match'])) return notModified(hash);
    return Response.json(
      { hash, ...node },
      { headers: { etag: entityTag(hash), 'cache-control': 'private, no-cache' } },
    );
  });

  mount(routes.getCasRefs, ({ params: { hash }, query }) => {
    const { refs } = nodeOf(store, hash);
    const rows = store.nodes.referrers(hash, {
      limit: query.limit + 1,
      ...(query.cursor === undefined ? {} : { after: query.cursor }),
    });
    return {
      refs,
      ...pageOf(
        rows,
        query.limit,
        (row) => row,
        (row) => row.hash,
      ),
    };
  });

  mount(routes.removeCas, async ({ params: { hash } }) => {
    const roots = await registryRoots(store.root);
    await whenFree(() => store.write('full', () => store.nodes.remove(hash, roots)));
    return { hash, removed: true as const };
  });

  mount(routes.collectGarbage, async ({ body: { graceMs, dryRun, compact } }) => {
    await recover();
    const work = store.upkeep.collect({
      registryRoots: () => registryRoots(store.root),
      graceMs: graceMs ?? GC_GRACE_MS,
      dryRun,
      compact,
    });
    return upkeepResponse(work, 'mark', log);
  });

  mount(routes.verifyCas, () => upkeepResponse(store.upkeep.verify(), 'verify', log));
}

/** Refused before anything is answered when this process is at it already. A client that leaves ends it between two slices. */
async function upkeepResponse<R extends object>(
  work: AsyncGenerator<UpkeepProgress, R, undefined>,
  phase: 'mark' | 'verify',
  log: Log,
): Promise<Response> {
  const first = await work.next();
  return linesResponse({
    phase,
    log,
    work: async (progress, signal) => {
      let step = first;
      while (!step.done) {
        progress(step.value.done, step.value.total, step.value.phase);
        if (signal.aborted) await work.return(undefined as never);
        step = await work.next();
      }
      return step.value;
    },
  });
}

function nodeOf(store: Store, hash: Hash): Node {
  const node = store.nodes.get(hash);
  if (node !== null) return node;
  throw new Problem('node-not-found', `There is no CAS entry ${hash}.`);
}
