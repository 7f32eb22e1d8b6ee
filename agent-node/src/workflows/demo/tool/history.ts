import type { Answer } from './answer.js';
import { complaint } from './capture.js';
import { openRepository, type Repository } from './git.js';
import { isLockFile } from './languages.js';
import {
  COMMITS_COUNTED_MAX,
  HISTORY_COMMITS_MAX,
  HISTORY_WINDOW_SECONDS,
  HOT_DIRECTORIES,
  HOT_DIRECTORIES_CARRIED,
  HOT_FILES,
  HOT_FILES_CARRIED,
  READ_FILE_MAX_BYTES,
  SWEEP_FILES,
} from './limits.js';
import type { HistoryMeta, HotFile } from './metas.js';
import { codeCell, count, counted, shownName } from './printable.js';
import { unquoteName } from './quoted-name.js';
import { createFileReader } from './read-file.js';
import { countLines } from './survey.js';
import { directoryOf, isForeign } from './tracked-files.js';

export type Commit = { seconds: number; author: string; keys: string[] };

/** Second role: where the work happens. */
export async function history(directory: string): Promise<Answer> {
  const repository = await openRepository(directory);
  if ('status' in repository) throw new Error(repository.why);
  const [commits, all] = await Promise.all([recentCommits(repository), countAll(repository)]);
  const tracked = new Set(
    repository.tracked.files.filter((file) => file.kind === 'file').map((file) => file.key),
  );
  const reader = createFileReader(repository.root);
  const linesOf = (key: string) => {
    const content = reader.read(key, READ_FILE_MAX_BYTES);
    return content.kind === 'text' ? countLines(content.bytes) : 0;
  };
  const facts: HistoryMeta = { ...summarize(commits, tracked, linesOf), ...all };
  if (repository.shallow) facts.leftOut.push('a shallow clone: older history is not here');
  return {
    body: describe(facts),
    meta: {
      $status: 'read',
      ...facts,
      hot: facts.hot.slice(0, HOT_FILES_CARRIED),
      directories: facts.directories.slice(0, HOT_DIRECTORIES_CARRIED),
    },
  };
}

// A name never begins with this character unquoted, so it marks the lines that are not names.
const MARK = '\x01';

async function recentCommits(repository: Repository): Promise<Commit[]> {
  const log = await repository.git([
    'log',
    `--max-count=${HISTORY_COMMITS_MAX}`,
    '--no-renames',
    '--no-ext-diff',
    '--no-textconv',
    '--no-show-signature',
    '--no-color',
    '--no-merges',
    '--name-only',
    '--format=%x01%ct %aE',
    'HEAD',
    '--',
  ]);
  // What came before it was cut is good; a damaged history ends early in the same way.
  if (log.code !== 0 && log.stdout.length === 0) {
    throw new Error(`git could not read the history: ${complaint(log)}`);
  }
  return parseLog(log.stdout.toString('latin1'));
}

/** Reads `git log --name-only --format=%x01%ct %aE`, newest first, names quoted. */
export function parseLog(output: string): Commit[] {
  const commits: Commit[] = [];
  for (const line of output.split('\n')) {
    if (line.startsWith(MARK)) {
      const space = line.indexOf(' ');
      commits.push({
        seconds: Number(line.slice(1, space)),
        author: line.slice(space + 1).toLowerCase(),
        keys: [],
      });
    } else if (line !== '') {
      commits.at(-1)?.keys.push(unquoteName(line));
    }
  }
  return commits;
}

type Summary = Omit<HistoryMeta, 'allCommits' | 'began'>;

/** Counts changes per file and directory over the year before the newest commit. Pure but for `linesOf`. */
export function summarize(
  all: readonly Commit[],
  tracked: ReadonlySet<string>,
  linesOf: (key: string) => number,
): Summary {
  const newest = all[0]?.seconds ?? 0;
  const commits = all.filter((commit) => commit.seconds >= newest - HISTORY_WINDOW_SECONDS);
  const byFile = new Map<string, { changes: number; authors: Set<string> }>();
  const byDirectory = new Map<string, number>();
  let sweeps = 0;
  for (const { keys, author } of commits) {
    if (keys.length > SWEEP_FILES) {
      sweeps += 1;
      continue;
    }
    const directories = new Set<string>();
    for (const key of keys) {
      if (!tracked.has(key) || isLockFile(key) || isForeign(key)) continue;
      const file = byFile.get(key) ?? { changes: 0, authors: new Set() };
      file.changes += 1;
      file.authors.add(author);
      byFile.set(key, file);
      directories.add(directoryOf(key));
    }
    for (const one of directories) byDirectory.set(one, (byDirectory.get(one) ?? 0) + 1);
  }
  const oldest = Math.min(newest, ...commits.map((commit) => commit.seconds));
  const hot = hottest(byFile, linesOf);
  return {
    commits: commits.length,
    from: day(oldest),
    to: day(newest),
    authors: new Set(commits.map((commit) => commit.author)).size,
    hottest: hot[0]?.name ?? 'none',
    hot,
    directories: [...byDirectory]
      .sort((one, other) => other[1] - one[1])
      .slice(0, HOT_DIRECTORIES)
      .map(([key, changes]) => ({ name: key === '' ? '(top)' : `${shownName(key)}/`, changes })),
    leftOut: [
      ...(commits.length === HISTORY_COMMITS_MAX
        ? [`commits before the last ${count(HISTORY_COMMITS_MAX)}`]
        : []),
      ...(sweeps > 0
        ? [`${counted(sweeps, 'commit')} touching more than ${SWEEP_FILES} files at once`]
        : []),
    ],
  };
}

/** The most changed files, ordered by changes × lines: big files that change all the time cost most attention. */
function hottest(
  byFile: ReadonlyMap<string, { changes: number; authors: ReadonlySet<string> }>,
  linesOf: (key: string) => number,
): HotFile[] {
  return [...byFile]
    .filter(([, file]) => file.changes > 1)
    .sort((one, other) => other[1].changes - one[1].changes)
    .slice(0, HOT_FILES * CANDIDATES_PER_PLACE)
    .map(([key, file]) => ({
      name: shownName(key),
      changes: file.changes,
      lines: linesOf(key),
      authors: file.authors.size,
    }))
    .sort((one, other) => other.changes * other.lines - one.changes * one.lines)
    .slice(0, HOT_FILES);
}

/** Files whose lines are counted per place in the list. */
const CANDIDATES_PER_PLACE = 3;

const MS_PER_SECOND = 1_000;
// What a Date can hold, seconds: a commit may claim any time.
const LAST_SECOND = 8.64e12;

function day(seconds: number): string {
  const known = Number.isFinite(seconds)
    ? Math.min(Math.max(seconds, -LAST_SECOND), LAST_SECOND)
    : 0;
  return new Date(known * MS_PER_SECOND).toISOString().replace(/T.*$/, '');
}

async function countAll(
  repository: Repository,
): Promise<Pick<HistoryMeta, 'allCommits' | 'began'>> {
  const listed = await repository.git([
    'rev-list',
    '--timestamp',
    `--max-count=${COMMITS_COUNTED_MAX + 1}`,
    'HEAD',
    '--',
  ]);
  if (listed.code !== 0) return { allCommits: null, began: null };
  let oldest = Number.POSITIVE_INFINITY;
  const lines = listed.stdout.toString('latin1').trimEnd().split('\n');
  if (lines.length > COMMITS_COUNTED_MAX) return { allCommits: null, began: null };
  for (const line of lines) oldest = Math.min(oldest, Number.parseInt(line, 10));
  return { allCommits: lines.length, began: repository.shallow ? null : day(oldest) };
}

function describe(facts: HistoryMeta): string[] {
  const directories = facts.directories.map(
    ({ name, changes }) => `${codeCell(name)} ${count(changes)}`,
  );
  return [
    `**${counted(facts.commits, 'commit')}** ${spanWords(facts)}.`,
    '',
    ...(directories.length > 1 ? [`Commits by directory: ${directories.join(' · ')}`, ''] : []),
    ...(facts.hot.length === 0
      ? ['No file changed more than once in that time: no hot spots.']
      : ['Hot spots (changes × lines):']),
    ...facts.hot.map((file) => `- ${codeCell(file.name)}: ${hotWords(file)}`),
    ...facts.leftOut.map((note) => `- Left out: ${note}`),
  ];
}

/** `by 3 authors from 2025-01-02 to 2025-12-24, of 410 since 2019-03-01`. */
export function spanWords(facts: HistoryMeta): string {
  const when = facts.from === facts.to ? `on ${facts.to}` : `from ${facts.from} to ${facts.to}`;
  const { allCommits, began } = facts;
  const whole =
    allCommits === null || allCommits === facts.commits
      ? ''
      : `, of ${count(allCommits)}${began === null ? '' : ` since ${began}`}`;
  return `by ${counted(facts.authors, 'author')} ${when}${whole}`;
}

/** `changed 12 times by 3 people, 410 lines`. */
export function hotWords(file: HotFile): string {
  return `changed ${count(file.changes)} times by ${counted(file.authors, 'person', 'people')}, ${counted(file.lines, 'line')}`;
}
