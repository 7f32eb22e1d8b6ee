import { Problem } from '@uncaged/protocol/problem';
import type { Directory } from '../directory/index.js';
import type { Links, NodeLink } from '../links/index.js';

/** The link to a node. Throws machine-not-found for a name that never connected, unreachable for one that is away. */
export function requireLink(
  { links, directory }: { links: Links; directory: Directory },
  name: string,
): NodeLink {
  const link = links.get(name);
  if (link !== null) return link;
  const known = directory.get(name);
  if (known === null)
    throw new Problem(
      'machine-not-found',
      `No node called ${name} has ever connected here; GET /api/nodes lists those that have.`,
    );
  throw new Problem(
    'unreachable',
    known.state === 'update-needed'
      ? `The node ${name} speaks no protocol that this gateway does (version ${known.hello.version}); update it.`
      : `The node ${name} is not connected; \`uwf connect\` must be running on it.`,
  );
}
