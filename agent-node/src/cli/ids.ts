import {
  decodeHash,
  type Hash,
  hashSchema,
  type ThreadId,
  threadIdSchema,
} from '@uncaged/protocol/ids';
import { Problem } from '@uncaged/protocol/problem';
import type { Store } from '../store/index.js';
import { ID_CANDIDATES_SHOWN, ID_PREFIX_MIN_CHARACTERS, QUOTED_MAX_CHARACTERS } from './limits.js';

const HASH_CHARACTERS = 13;
const THREAD_CHARACTERS = 26;
const CROCKFORD = /^[0-9A-HJKMNP-TV-Z]*$/;

/**
 * Hash as a person typed it: lower case, or a unique prefix of at least 6 characters. Without a store only whole hashes.
 * Throws invalid-id, ambiguous-id, node-not-found.
 */
export function parseHash(store: Store | null, text: string): Hash {
  const id = requireShape(text, 'hash', HASH_CHARACTERS, store === null);
  if (id.length === HASH_CHARACTERS) {
    if (store !== null && !store.nodes.has(id)) throw unknownHash(text);
    return hashSchema.parse(id);
  }
  return unique(text, 'CAS entry', hashesFrom(store!, id), () => unknownHash(text));
}

/** Thread id as a person typed it; the same rules. Throws invalid-id, ambiguous-id, thread-not-found. */
export function parseThreadId(store: Store, text: string): ThreadId {
  const id = requireShape(text, 'thread id', THREAD_CHARACTERS, false);
  const unknown = () =>
    new Problem(
      'thread-not-found',
      `thread not found: ${quote(text)}. \`uwf thread list\` shows the threads there are.`,
    );
  if (id.length === THREAD_CHARACTERS) {
    if (!threadIdSchema.safeParse(id).success)
      throw malformed(text, 'thread id', 'it begins with 0 to 7');
    if (store.threads.get(id) === null) throw unknown();
    return id;
  }
  return unique(text, 'thread', store.threads.findByPrefix(id, ID_CANDIDATES_SHOWN + 1), unknown);
}

/** One of a workflow's versions, by hash or prefix. Throws invalid-id, ambiguous-id, version-not-found. */
export function parseVersion(versions: readonly Hash[], text: string): Hash {
  const id = requireShape(text, 'hash', HASH_CHARACTERS, false);
  const found = [...new Set(versions)].filter((hash) => hash.startsWith(id));
  return unique(
    text,
    'version',
    found,
    () =>
      new Problem(
        'version-not-found',
        `version not found: ${quote(text)} is not in the history of this workflow.`,
      ),
  );
}

function requireShape(text: string, what: string, length: number, whole: boolean): string {
  if (text === '') throw malformed(text, what, `it has ${length} characters`);
  const id = text.length <= length ? text.toUpperCase() : '';
  if (id === '' || !CROCKFORD.test(id)) {
    throw malformed(text, what, `it has ${length} characters of 0-9 and A-Z without I, L, O, U`);
  }
  if (whole && id.length < length) throw malformed(text, what, `it has ${length} characters`);
  if (id.length < ID_PREFIX_MIN_CHARACTERS) {
    throw malformed(
      text,
      what,
      `give all ${length} characters, or at least the first ${ID_PREFIX_MIN_CHARACTERS}`,
    );
  }
  return id;
}

/** Stored hashes that begin with `prefix`, some at most. The table is in the order of the text form. */
function hashesFrom(store: Store, prefix: string): Hash[] {
  const lowest = prefix.padEnd(HASH_CHARACTERS, '0');
  const found = decodeHash(lowest) !== null && store.nodes.has(lowest) ? [lowest] : [];
  for (const { hash } of store.nodes.list({ after: lowest, limit: ID_CANDIDATES_SHOWN + 1 })) {
    if (hash.startsWith(prefix)) found.push(hash);
  }
  return found;
}

function unique(
  text: string,
  what: string,
  found: readonly string[],
  unknown: () => Problem,
): string {
  if (found.length === 1) return found[0]!;
  if (found.length === 0) throw unknown();
  const shown = found.slice(0, ID_CANDIDATES_SHOWN).join(', ');
  const more = found.length > ID_CANDIDATES_SHOWN ? ', …' : '';
  throw new Problem(
    'ambiguous-id',
    `${quote(text)} begins more than one ${what}: ${shown}${more}. Give more characters.`,
  );
}

function unknownHash(text: string): Problem {
  return new Problem('node-not-found', `cas entry not found: ${quote(text)}`);
}

function malformed(text: string, what: string, rule: string): Problem {
  const subject =
    text === '' ? `The ${what} is empty` : `${JSON.stringify(cut(text))} is not a ${what}`;
  return new Problem('invalid-id', `${subject}: ${rule}.`);
}

/** Ids that have their shape need no quotes. */
function quote(text: string): string {
  return CROCKFORD.test(text.toUpperCase()) ? cut(text.toUpperCase()) : JSON.stringify(cut(text));
}

function cut(text: string): string {
  return text.length > QUOTED_MAX_CHARACTERS
    ? `${text.slice(0, QUOTED_MAX_CHARACTERS).toWellFormed()}…`
    : text;
}
