import type { z } from 'zod';

type Path = (string | number)[];
type Issue = z.core.$ZodIssue;

/** `message` goes on behind the name of the place: "must be text, not a number." `fix` may be empty: nothing to add. */
export type ValueFault = { path: Path; message: string; fix: string };

/**
 * What is wrong with a value that people wrote into a file, in words for them, from what its schema found. Never quotes values,
 * which may be keys. `known` has the keys that a place takes, for those that it does not know. Of a text of a schema only one
 * that begins with "must" is taken over: all others are the library's own.
 */
export function valueFaults(
  issues: readonly Issue[],
  value: unknown,
  known: (path: Path) => readonly string[] = () => [],
): ValueFault[] {
  return issues.flatMap((issue) => faultsOf(issue, value, known));
}

function faultsOf(
  issue: Issue,
  file: unknown,
  known: (path: Path) => readonly string[],
): ValueFault[] {
  const path = issue.path as Path;
  const fault = (message: string, fix = '') => [{ path, message, fix }];
  const own = ownText(issue);
  if (own !== null) return fault(`${own}.`);
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => unknownKey([...path, key], known(path)));
    case 'invalid_key':
      return fault(`is no name that can be used here${reason(issue.issues)}.`);
    case 'invalid_type':
      return [wrongType(issue, path, valueAt(file, path))];
    case 'invalid_value':
      return fault(`must be ${alternatives(issue.values)}.`);
    case 'invalid_union':
      return fault(
        'options' in issue && Array.isArray(issue.options)
          ? `must be ${alternatives(issue.options)}.`
          : 'has not the form that it needs.',
      );
    case 'too_small':
      return fault(boundText(issue.origin, Number(issue.minimum), issue.inclusive, 'least'));
    case 'too_big':
      return fault(boundText(issue.origin, Number(issue.maximum), issue.inclusive, 'most'));
    case 'invalid_format':
      return issue.format === 'url'
        ? fault('must be an address that begins with http:// or https://.')
        : fault('has not the form that it needs.');
    default:
      return fault('cannot be used as it is.');
  }
}

function ownText({ message }: Issue): string | null {
  return message.startsWith('must ') ? message : null;
}

function unknownKey(path: Path, known: readonly string[]): ValueFault {
  const fix = known.length === 0 ? 'Remove it.' : `Known here: ${known.join(', ')}.`;
  return { path, message: 'is not known here.', fix };
}

function reason(issues: readonly Issue[]): string {
  const texts = issues.map(ownText).filter((text) => text !== null);
  return texts.length === 0 ? '' : `: it ${texts.join(', and ')}`;
}

function wrongType(
  { expected }: Extract<Issue, { code: 'invalid_type' }>,
  path: Path,
  value: unknown,
): ValueFault {
  const field = path.at(-1);
  if (value === undefined && typeof field === 'number')
    return { path: path.slice(0, -1), message: 'has too few items.', fix: LIST_FIX };
  if (value === undefined && field !== undefined)
    return { path, message: 'is missing.', fix: `Add "${field}:".` };
  const wanted = typeWord(expected);
  if (expected === 'int' && typeof value === 'number' && Number.isFinite(value))
    return { path, message: `must be ${wanted}.`, fix: '' };
  const message = `must be ${wanted}, not ${kindWord(value)}.`;
  return { path, message, fix: typeFix(wanted, value) };
}

function boundText(
  origin: string,
  bound: number,
  inclusive: boolean | undefined,
  side: 'least' | 'most',
): string {
  if (origin === 'string' && side === 'least' && bound === 1) return 'must not be empty.';
  const unit = origin === 'string' ? ' characters' : COUNTED.has(origin) ? ' items' : '';
  if (unit !== '') return `must have at ${side} ${bound}${unit}.`;
  if (inclusive !== false) return `must be at ${side} ${bound}.`;
  return `must be ${side === 'least' ? 'more' : 'less'} than ${bound}.`;
}

const COUNTED: ReadonlySet<string> = new Set(['array', 'set', 'map', 'record', 'object']);

function alternatives(values: readonly unknown[]): string {
  const words = values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value)));
  return words.length === 1 ? `${words[0]}` : `one of ${words.join(', ')}`;
}

const LIST_FIX = 'Write one item per line, each after "- ".';

const WORDS: ReadonlyMap<string, string> = new Map([
  ['string', 'text'],
  ['object', 'a map'],
  ['record', 'a map'],
  ['array', 'a list'],
  ['tuple', 'a list'],
  ['boolean', 'true or false'],
  ['number', 'a number'],
  ['int', 'a whole number'],
]);

/** What people who write files call a type of the schema library. */
export function typeWord(expected: string): string {
  return WORDS.get(expected) ?? expected;
}

/** How to write what was wanted (`typeWord`) instead of the value that stands there. */
export function typeFix(wanted: string, value: unknown): string {
  if (wanted === 'text' && typeof value !== 'object') return 'Put it in quotes.';
  if (wanted === 'a list') return LIST_FIX;
  if (wanted === 'a map') return 'Write "key: value" lines, indented below it.';
  return `Write ${wanted}.`;
}

/** What a value is, without saying which. */
function kindWord(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a map';
  if (typeof value === 'boolean') return 'true or false';
  if (typeof value === 'number')
    return Number.isNaN(value) ? '.nan' : Number.isFinite(value) ? 'a number' : '.inf';
  return 'text';
}

/** The value at a path of own keys; undefined where there is none. */
export function valueAt(file: unknown, path: readonly (string | number)[]): unknown {
  let value = file;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string | number, unknown>)[key];
  }
  return value;
}
