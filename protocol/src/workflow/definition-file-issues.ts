import type { z } from 'zod';
import { END, START } from '../ids/index.js';
import { STATUS_MAX_CHARACTERS } from '../limits.js';
import { definitionFileSchema, START_IN_FILES } from './definition-file-schema.js';
import { errorFinding, type Finding } from './finding.js';
import { nearestName } from './nearest-name.js';
import { toFileName } from './sentinels.js';
import { typeFix, typeWord, valueAt } from './value-faults.js';

type Path = (string | number)[];
type Issue = z.core.$ZodIssue;

const top = definitionFileSchema.shape;
const roleShape = top.roles.valueType.shape;
const edgeShape = top.graph.unwrap().unwrap().valueType.valueType.shape;
const ruleShape = top.moderator.unwrap().unwrap().element.shape;

/** What other tools, and older files, call a field. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ['systemPrompt', 'procedure'],
  ['prompt', 'procedure'],
  ['instructions', 'procedure'],
  ['schema', 'frontmatter'],
  ['meta', 'frontmatter'],
  ['extractPrompt', 'output'],
  ['script', 'run'],
  ['command', 'run'],
  ['condition', 'when'],
  ['target', 'role'],
]);

/** Faults of a file's shape as findings; `file` is what was checked. One finding per place. */
export function shapeFindings(error: z.ZodError, file: unknown): Finding[] {
  const findings = new Map<string, Finding>();
  for (const issue of error.issues) {
    for (const finding of describeIssue(issue, file)) {
      const place = JSON.stringify(finding.path);
      if (!findings.has(place)) findings.set(place, finding);
    }
  }
  return [...findings.values()];
}

function describeIssue(issue: Issue, file: unknown): Finding[] {
  const path = issue.path as Path;
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => unknownKey(path, key));
  }
  if (issue.code === 'invalid_key') return [invalidKey(path)];
  const value = valueAt(file, path);
  if (issue.code === 'invalid_type') {
    if (value === undefined || value === null) return [missing(path)];
    if (isDuration(path) && typeof value === 'number')
      return [invalidDuration(path, String(value))];
    const wanted = typeWord(String(issue.expected));
    if (typeof value === 'number' && issue.expected === 'int') {
      return [
        errorFinding(
          'invalid-number',
          path,
          `${label(path)} must be a whole number, not ${value}.`,
          NUMBER_FIX,
        ),
      ];
    }
    return [
      errorFinding(
        'wrong-type',
        path,
        `${label(path)} must be ${wanted}, not ${kindOf(value)}.`,
        typeFix(wanted, value),
      ),
    ];
  }
  if (typeof value === 'number') {
    return [
      errorFinding(
        'invalid-number',
        path,
        `${label(path)} must be more than 0, not ${value}.`,
        NUMBER_FIX,
      ),
    ];
  }
  return [malformedText(path, String(value))];
}

const NUMBER_FIX = 'Write a positive whole number, or leave it out.';

function unknownKey(path: Path, key: string): Finding {
  const known = knownKeys(path);
  const shown = JSON.stringify(key.slice(0, STATUS_MAX_CHARACTERS));
  const other = OTHER_NAMES.get(key);
  const guess = other !== undefined && known.includes(other) ? other : nearestName(key, known);
  const fix =
    guess === null
      ? `Remove it, or name it x-… to keep it as a note. Known here: ${known.join(', ')}.`
      : `Did you mean "${guess}"?`;
  return errorFinding('unknown-key', [...path, key], `${place(path)} has no key ${shown}.`, fix);
}

/** A name that is a key: of a role, or of a role's edges. */
function invalidKey(path: Path): Finding {
  const name = String(path.at(-1));
  const shown = JSON.stringify(name.slice(0, STATUS_MAX_CHARACTERS));
  if (path[0] === 'graph' && path.length > 2) {
    return errorFinding(
      'invalid-name',
      path,
      `Status ${shown} cannot be used.`,
      `A status is 1 to ${STATUS_MAX_CHARACTERS} characters.`,
    );
  }
  const isSentinel = name === START || name === END;
  const isStart = path[0] === 'graph' && nearestName(name, [START_IN_FILES]) !== null;
  const fix = isSentinel
    ? `In a file it is written ${toFileName(name)}.`
    : isStart
      ? `Did you mean "${START_IN_FILES}"?`
      : 'Start with a letter; then letters, digits, "_" and "-", 63 at most.';
  return errorFinding('invalid-name', path, `Role name ${shown} cannot be used.`, fix);
}

function missing(path: Path): Finding {
  return errorFinding(
    'missing-field',
    path,
    `${label(path)} is missing.`,
    `Add "${String(path.at(-1))}:".`,
  );
}

function malformedText(path: Path, value: string): Finding {
  const field = path.at(-1);
  const shown = JSON.stringify(value.slice(0, STATUS_MAX_CHARACTERS));
  if (isDuration(path)) return invalidDuration(path, value);
  if (path.length === 1 && field === 'name') {
    return errorFinding(
      'invalid-name',
      path,
      `${shown} cannot be the name of a workflow.`,
      'Use lower-case words joined by hyphens, 63 characters at most: solve-issue.',
    );
  }
  return errorFinding(
    'invalid-name',
    path,
    `${label(path)} cannot be ${shown}.`,
    'Start with a letter; then letters, digits, "_" and "-", 63 at most.',
  );
}

function isDuration(path: Path): boolean {
  const field = path.at(-1);
  return path[0] === 'roles' && path.length > 2 && (field === 'timeout' || field === 'backoff');
}

export function invalidDuration(path: Path, value: string): Finding {
  const shown = JSON.stringify(value.slice(0, STATUS_MAX_CHARACTERS));
  return errorFinding(
    'invalid-duration',
    path,
    `${label(path)} cannot be ${shown}.`,
    'Write a whole number with its unit, up to 24 days: 500ms, 90s, 10m, 2h.',
  );
}

function knownKeys(path: Path): string[] {
  if (path.length === 0) return Object.keys(top);
  if (path[0] === 'budget') return Object.keys(top.budget.unwrap().unwrap().shape);
  if (path[0] === 'graph') return Object.keys(edgeShape);
  if (path[0] === 'moderator') return Object.keys(ruleShape);
  if (path[2] === 'retry') return Object.keys(roleShape.retry.unwrap().unwrap().shape);
  if (path[2] === 'workspace') return Object.keys(roleShape.workspace.unwrap().unwrap().shape);
  return Object.keys(roleShape);
}

/** Where a key stands, to begin a sentence. */
function place(path: Path): string {
  if (path.length === 0) return 'The file';
  const first = path.length === 2 && path[0] === 'roles' ? 'Role' : path.join('.');
  return first === 'Role' ? `Role "${String(path[1])}"` : first;
}

function label(path: Path): string {
  return path.length === 0 ? 'The file' : path.join('.');
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a map';
  return typeof value === 'string' ? 'text' : String(value);
}
