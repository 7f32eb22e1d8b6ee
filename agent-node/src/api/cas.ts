import { routes } from '@uncaged/protocol/api';
import type { Node } from '@uncaged/protocol/cas';
import type { Hash } from '@uncaged/protocol/ids';
import { Problem } from '@uncaged/protocol/problem';
import { registryRoots } from '../registry/index.js';
import type { Store } from '../store/index.js';
import type { ApiContext } from './context.js';
import { entityTag, isFresh, notModified } from './entity-tag.js';
import type { Mount } from './mount.js';
import { pageOf } from './pages.js';

export function mountCas(mount: Mount, { store, whenFree }: ApiContext): void {
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
}

function nodeOf(store: Store, hash: Hash): Node {
  const node = store.nodes.get(hash);
  if (node !== null) return node;
  throw new Problem('node-not-found', `There is no CAS entry ${hash}.`);
}
