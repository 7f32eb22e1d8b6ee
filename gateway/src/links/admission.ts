import type { Admission, Hello } from '@uncaged/protocol/link';
import type { Auth, Identity } from '../auth/index.js';
import { refusalOf } from './check-hello.js';
import type { Generations } from './generations.js';
import type { Entry, LinkTable } from './link-table.js';
import type { Turn, Turns } from './turns.js';

export type AdmissionParts = {
  readonly auth: Pick<Auth, 'isValid'>;
  readonly table: Pick<LinkTable, 'current'>;
  readonly turns: Turns;
  readonly generations: Generations;
  readonly probeMs: number;
  isClosing(): boolean;
};

/** Nobody reads it. */
const GONE: Admission = { refuse: 'replaced', message: 'The node has gone.' };

/**
 * Whether this node may have its name. One after another for each name: `taken` gets the turn, which its receiver gives back
 * when the link is in the table, or will not be. An older link is not touched here; when it gave no sign of life it is marked.
 */
export async function decide(
  parts: AdmissionParts,
  { hello, identity, signal }: { hello: Hello; identity: Identity; signal: AbortSignal },
  taken: (turn: Turn) => void,
): Promise<Admission> {
  const refusal = refusalOf(hello, identity);
  if (refusal !== null) return refusal;
  const turn = await parts.turns.take(hello.node, signal);
  if (turn === null)
    return {
      refuse: 'name-in-use',
      message: `Several nodes of the name ${hello.node} are connecting at this moment. Choose another --name, or stop the others.`,
    };
  if (signal.aborted) {
    // Nobody waits for it who would give the turn back.
    turn();
    return GONE;
  }
  taken(turn);

  const older = parts.table.current(hello.node);
  if (older !== null && !isSucceededBy(older, hello)) {
    const alive = await older.link.mux.probe(parts.probeMs);
    if (signal.aborted) return GONE;
    // It may have ended, or have said good-bye, while it was asked.
    if (alive && parts.table.current(hello.node) === older && !isSucceededBy(older, hello))
      return inUse(older);
    older.silent = !alive;
  }
  if (parts.isClosing()) return { refuse: 'shutdown', message: 'The gateway is shutting down.' };
  if (!parts.auth.isValid(identity))
    return { refuse: 'revoked', message: 'The token was revoked, or has expired.' };
  return { generation: parts.generations.next(hello.node) };
}

/** The node itself has dialled anew (what it had is gone, whether we noticed or not), or the one before it is leaving. */
function isSucceededBy(older: Entry, hello: Hello): boolean {
  return older.leaving || older.link.hello.instance === hello.instance;
}

function inUse({ link, since }: Entry): Admission {
  const at = new Date(since).toISOString();
  return {
    refuse: 'name-in-use',
    message: `A node of the name ${link.name} is connected since ${at} from ${link.address}, and it answers. Choose another --name, or stop the other.`,
  };
}
