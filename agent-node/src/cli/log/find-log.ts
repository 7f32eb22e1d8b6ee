import { Problem } from '@uncaged/protocol/problem';
import type { LogFile } from '../../executor/index.js';
import { ID_CANDIDATES_SHOWN, ID_PREFIX_MIN_CHARACTERS, QUOTED_MAX_CHARACTERS } from '../limits.js';

/**
 * The log of a thread or a worker by its name as a person typed it: lower case, or a unique beginning of an id. Looks at
 * files only, so that it works where the store cannot be opened. Throws invalid-id, ambiguous-id, thread-not-found.
 */
export function findLog(logs: readonly LogFile[], text: string): LogFile {
  const wanted = text.toUpperCase();
  const named = (log: LogFile) => log.name.toUpperCase();
  const whole = logs.find((log) => named(log) === wanted);
  if (whole !== undefined) return whole;
  const shown = JSON.stringify(text.slice(0, QUOTED_MAX_CHARACTERS));
  if (text.length < ID_PREFIX_MIN_CHARACTERS)
    throw new Problem(
      'invalid-id',
      `${shown} names no log: give a thread id, a worker, or at least the first ${ID_PREFIX_MIN_CHARACTERS} characters.`,
    );
  const found = logs.filter((log) => named(log).startsWith(wanted));
  if (found.length === 1) return found[0]!;
  if (found.length === 0)
    throw new Problem(
      'thread-not-found',
      `there is no log of ${shown}; who has said nothing has none. \`uwf log list\` shows the logs there are.`,
    );
  const names = found.slice(0, ID_CANDIDATES_SHOWN).map(({ name }) => name);
  const more = found.length > names.length ? ', …' : '';
  throw new Problem(
    'ambiguous-id',
    `${shown} begins more than one name: ${names.join(', ')}${more}. Give more characters.`,
  );
}
