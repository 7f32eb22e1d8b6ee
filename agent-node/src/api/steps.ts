import { routes } from '@uncaged/protocol/api';
import type { Hash } from '@uncaged/protocol/ids';
import { Problem } from '@uncaged/protocol/problem';
import type { StepRow, Store } from '../store/index.js';
import { stateOf, stepDetail } from '../views/index.js';
import { contentResponse } from './content-response.js';
import type { ApiContext } from './context.js';
import type { Mount } from './mount.js';

export function mountSteps(mount: Mount, { store }: ApiContext): void {
  mount(routes.getStep, ({ params }) => stepDetail(store, stepOf(store, params.hash)));

  mount(routes.getStepContent, ({ params, query, headers }) => {
    const content = stateOf(store, stepOf(store, params.hash))?.content ?? null;
    if (content === null || !store.nodes.has(content))
      throw new Problem('node-not-found', `Step ${params.hash} has no content in the store.`);
    return contentResponse(store, content, {
      tail: query.tail,
      range: headers.range,
      ifRange: headers['if-range'],
      ifNoneMatch: headers['if-none-match'],
    });
  });
}

function stepOf(store: Store, hash: Hash): StepRow {
  const [row] = store.steps.byHash(hash);
  if (row !== undefined) return row;
  throw new Problem('step-not-found', `There is no step ${hash}.`);
}
