import { gatewayRoutes } from '@uncaged/protocol/api';
import { Problem } from '@uncaged/protocol/problem';
import { type Directory, machineDetail, machineJson } from '../directory/index.js';
import type { EventHub } from '../events/index.js';
import type { Links } from '../links/index.js';
import type { MountOwn } from './own-routes.js';

export function mountNodes(
  mount: MountOwn,
  { directory, links, hub }: { directory: Directory; links: Links; hub: EventHub },
): void {
  mount(gatewayRoutes.listNodes, () => ({
    items: directory.list().map((known) => machineJson(known, links.get(known.hello.node))),
    nextCursor: null,
  }));
  mount(gatewayRoutes.getMachine, async ({ params }) => {
    await hub.renewed(params.node);
    const known = directory.get(params.node);
    if (known === null) throw unknown(params.node);
    return machineDetail(known, links.get(params.node));
  });
  mount(gatewayRoutes.forgetNode, ({ params }) => {
    if (links.get(params.node) !== null)
      throw new Problem(
        'in-use',
        `${params.node} is connected; end its \`uwf connect\` first, then forget it.`,
      );
    if (!directory.forget(params.node)) throw unknown(params.node);
    return { name: params.node, removed: true as const };
  });
}

function unknown(name: string): Problem {
  return new Problem(
    'machine-not-found',
    `No node called ${name} has ever connected here; GET /api/nodes lists those that have.`,
  );
}
