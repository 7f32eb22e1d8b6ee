import { listSchema, nodeSchema, workflowEntrySchema } from '@uncaged/protocol/api';
import type { Principal } from '@uncaged/protocol/http';
import { isProblem, Problem } from '@uncaged/protocol/problem';
import type { NodeLink } from '../links/index.js';
import { askNode } from './ask-node.js';
import { names } from './candidates.js';

type RankInput = {
  links: readonly NodeLink[];
  /** Name of a workflow; null: it is named by a hash, and only a start tells who has that. */
  workflow: string | null;
  /** Starts that this gateway has under way on a node: its counts do not show them yet. */
  underWay: (node: string) => number;
  principal: Principal;
  limitMs: number;
  signal: AbortSignal | undefined;
};

type Ranked = { link: NodeLink; load: number; workflow: 'ready' | 'broken' | 'missing' };

const workflowsSchema = listSchema(
  workflowEntrySchema.pick({ name: true, hash: true, problem: true }),
);
const loadSchema = nodeSchema.pick({ limits: true, counts: true });

/**
 * The nodes that have a workflow, the least busy first. Throws workflow-not-found when none has it, and node-timeout when
 * none could be asked.
 */
export async function rankNodes(input: RankInput): Promise<NodeLink[]> {
  const { links, workflow, signal } = input;
  const answers = await Promise.all(links.map((link) => lookAt(link, input)));
  if (signal?.aborted === true) throw new Problem('cancelled', 'Nobody waits for this start.');
  const asked = answers.filter((one) => one !== null);
  const all = links.map(({ name }) => name);
  if (asked.length === 0)
    throw new Problem(
      'node-timeout',
      `None of the nodes that could start it answered: ${names(all)}. Try again in a moment.`,
    );
  const having = asked.filter((one) => one.workflow !== 'missing');
  if (having.length > 0) return having.sort(byRank).map(({ link }) => link);
  const silent = all.filter((name) => !asked.some(({ link }) => link.name === name));
  throw new Problem(
    'workflow-not-found',
    `No node has a workflow called ${workflow}. Asked: ${names(asked.map(({ link }) => link.name))}${silent.length === 0 ? '' : `; no answer from ${names(silent)}`}.`,
  );
}

/** Null: it does not answer as it should. */
async function lookAt(
  link: NodeLink,
  { workflow, underWay, principal, limitMs, signal }: RankInput,
): Promise<Ranked | null> {
  const asked = { principal, limitMs, signal };
  try {
    const [node, list] = await Promise.all([
      askNode(link, { ...asked, path: '/api/node', schema: loadSchema }),
      workflow === null
        ? null
        : askNode(link, { ...asked, path: '/api/workflows', schema: workflowsSchema }),
    ]);
    const busy = (node.counts.running ?? 0) + (node.counts.queued ?? 0) + underWay(link.name);
    const entry = list?.items.find(({ name }) => name === workflow);
    return {
      link,
      // Without a configuration that can be read it starts nothing well: after all others.
      load: node.limits.threads === null ? Number.POSITIVE_INFINITY : busy / node.limits.threads,
      workflow: list === null ? 'ready' : stateOf(entry),
    };
  } catch (error) {
    if (isProblem(error)) return null;
    throw error;
  }
}

function stateOf(
  entry: { hash: string | null; problem?: string | null | undefined } | undefined,
): Ranked['workflow'] {
  if (entry === undefined) return 'missing';
  return entry.hash === null || typeof entry.problem === 'string' ? 'broken' : 'ready';
}

/** A broken one is asked when there is no other: the node says what is wrong with it. */
function byRank(a: Ranked, b: Ranked): number {
  if (a.workflow !== b.workflow) return a.workflow === 'ready' ? -1 : 1;
  if (a.load !== b.load) return a.load < b.load ? -1 : 1;
  return a.link.name < b.link.name ? -1 : 1;
}
