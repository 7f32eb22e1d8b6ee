import { nodeNameSchema, type ThreadId, threadIdSchema } from '@uncaged/protocol/ids';
import { Problem } from '@uncaged/protocol/problem';

/** Where a request goes. `path`: what the node is asked, with its query, byte for byte as it came. */
export type Target =
  | { type: 'node'; name: string; path: string }
  | { type: 'thread'; id: ThreadId; path: string }
  /** The gateway answers it itself. */
  | { type: 'own' };

const NODES = '/api/nodes/';
const THREADS = '/api/threads/';
const SHOWN_MAX_CHARACTERS = 100;
const OWN: Target = { type: 'own' };

/** Reads a request target that `checkRawPath` let pass. Throws invalid-id. */
export function parseTarget(target: string): Target {
  if (target.startsWith(NODES)) return nodeTarget(target);
  if (target.startsWith(THREADS)) return threadTarget(target);
  return OWN;
}

function nodeTarget(target: string): Target {
  const end = endOfPart(target, NODES.length);
  const name = target.slice(NODES.length, end);
  if (!nodeNameSchema.safeParse(name).success)
    throw new Problem(
      'invalid-id',
      `${shown(name)} is no name of a node: lower-case letters, digits and "-", at most 63.`,
    );
  return target[end] === '/' ? { type: 'node', name, path: `/api${target.slice(end)}` } : OWN;
}

function threadTarget(target: string): Target {
  const id = target.slice(THREADS.length, endOfPart(target, THREADS.length));
  if (!threadIdSchema.safeParse(id).success)
    throw new Problem(
      'invalid-id',
      `${shown(id)} is no id of a thread: 26 characters, digits and capital letters.`,
    );
  return { type: 'thread', id, path: target };
}

/** Where the part of a path that begins at `from` ends. */
function endOfPart(target: string, from: number): number {
  for (let at = from; at < target.length; at += 1) {
    const character = target[at];
    if (character === '/' || character === '?' || character === '#') return at;
  }
  return target.length;
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, SHOWN_MAX_CHARACTERS));
}
