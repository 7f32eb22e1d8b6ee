import { basename } from 'node:path';
import type { Answer } from './answer.js';
import { type Obstacle, openRepository, type Repository } from './git.js';
import { isLockFile, languageOf, mainLanguage } from './languages.js';
import {
  LANGUAGES_CARRIED,
  LANGUAGES_LISTED,
  LARGE_FILES_CARRIED,
  LARGE_FILES_LISTED,
  READ_FILE_MAX_BYTES,
  READ_TIME_MAX_MS,
  READ_TOTAL_MAX_BYTES,
} from './limits.js';
import type { SurveyMeta } from './metas.js';
import { code, codeCell, count, counted, printable, size } from './printable.js';
import { createFileReader, type FileReader } from './read-file.js';
import type { TrackedFile } from './tracked-files.js';

/** First role: what is in the repository. */
export async function survey(directory: string): Promise<Answer> {
  const repository = await openRepository(directory);
  if ('status' in repository) return stopped(repository);
  const { files, total } = repository.tracked;
  const name = printable(basename(repository.root)) || '/';
  // Git compares the working tree while the files are counted here.
  const comparing = compareWorkingTree(repository);
  const measured = measure(files, createFileReader(repository.root));
  const state = await comparing;
  if (state.noCommits) {
    const staged = total === 0 ? 'nothing is staged either' : `${counted(total, 'file')} staged`;
    return stopped({
      status: 'no-commits',
      why: `the repository ${name} has no commit yet (${staged})`,
    });
  }
  const facts: SurveyMeta = {
    repository: name,
    branch: state.branch,
    files: total,
    lines: measured.lines,
    bytes: measured.bytes,
    language: mainLanguage(measured.languages) ?? 'none',
    languages: Object.fromEntries(
      measured.languages.slice(0, LANGUAGES_CARRIED).map(({ name, lines }) => [name, lines]),
    ),
    largest: measured.largest.slice(0, LARGE_FILES_CARRIED),
    workingTree: workingTreeWords(state, measured.deleted),
    leftOut: [
      ...(total > files.length
        ? [`${counted(total - files.length, 'file')} past the first ${count(files.length)}`]
        : []),
      ...measured.leftOut,
    ],
  };
  return { body: describe(facts, measured), meta: { $status: 'surveyed', ...facts } };
}

type Stop = Obstacle | { status: 'no-commits'; why: string };

function stopped({ status, why }: Stop): Answer {
  return { body: [`**Nothing to survey**: ${why}.`], meta: { $status: status, why } };
}

type Measured = {
  lines: number;
  bytes: number;
  /** Tracked but not on disk, without those left out on purpose. */
  deleted: number;
  /** Those with the most lines first. */
  languages: { name: string; lines: number }[];
  largest: { name: string; bytes: number }[];
  leftOut: string[];
};

function measure(files: readonly TrackedFile[], reader: FileReader): Measured {
  const languages = new Map<string, number>();
  const sizes: { name: string; bytes: number }[] = [];
  const skipped = new Map<string, number>();
  const skip = (reason: string) => skipped.set(reason, (skipped.get(reason) ?? 0) + 1);
  const sum = { lines: 0, bytes: 0, deleted: 0 };
  const startedAt = performance.now();
  for (const file of files) {
    if (file.kind !== 'file') skip(file.kind);
    else if (file.skipped) skip('sparse');
    else {
      const outOfTime =
        sum.bytes > READ_TOTAL_MAX_BYTES || performance.now() - startedAt > READ_TIME_MAX_MS;
      const content = reader.read(file.key, outOfTime ? 0 : READ_FILE_MAX_BYTES);
      if (content.kind === 'missing') sum.deleted += 1;
      else if (content.kind === 'other') skip('other');
      else {
        sum.bytes += content.size;
        sizes.push({ name: file.name, bytes: content.size });
        if (content.kind === 'binary') skip('binary');
        else if (content.kind === 'large') skip(outOfTime ? 'late' : 'large');
        else {
          const lines = countLines(content.bytes);
          sum.lines += lines;
          const language = isLockFile(file.key) ? null : languageOf(file.key);
          if (language !== null) languages.set(language, (languages.get(language) ?? 0) + lines);
        }
      }
    }
  }
  return {
    ...sum,
    languages: [...languages]
      .map(([name, lines]) => ({ name, lines }))
      .sort((one, other) => other.lines - one.lines)
      .slice(0, LANGUAGES_LISTED),
    largest: sizes.sort((one, other) => other.bytes - one.bytes).slice(0, LARGE_FILES_LISTED),
    leftOut: [...skipped].map(([reason, number]) => wordsFor(reason, number)),
  };
}

function wordsFor(reason: string, number: number): string {
  switch (reason) {
    case 'binary':
      return `${counted(number, 'binary file')} not counted in lines`;
    case 'large':
      return `${counted(number, 'file')} over ${size(READ_FILE_MAX_BYTES)} not counted in lines`;
    case 'late':
      return `${counted(number, 'file')} not counted in lines because time was up`;
    case 'sparse':
      return `${counted(number, 'file')} outside of the sparse checkout`;
    case 'symlink':
      return `${counted(number, 'symlink')} not followed`;
    case 'submodule':
      return `${counted(number, 'submodule')} not entered`;
    default:
      return `${counted(number, 'name')} that cannot be read as a file`;
  }
}

const NEWLINE = 10;

/** Lines of a text; a last line without a line end counts. */
export function countLines(bytes: Buffer): number {
  let lines = 0;
  let from = 0;
  for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, from)) {
    lines += 1;
    from = at + 1;
  }
  return from < bytes.length ? lines + 1 : lines;
}

type TreeState = {
  noCommits: boolean;
  branch: string | null;
  /** Changed and not committed; in an unfinished merge; untracked entries. Null: git took too long. */
  entries: { changed: number; unmerged: number; untracked: number } | null;
};

async function compareWorkingTree(repository: Repository): Promise<TreeState> {
  const compared = await repository.git([
    'status',
    '--porcelain=v2',
    '--branch',
    '-z',
    '--no-renames',
    '--no-ahead-behind',
    '--untracked-files=normal',
    '--ignore-submodules=all',
  ]);
  return parseStatus(compared.stdout.toString('utf8'), compared.code === 0);
}

/** Reads `git status --porcelain=v2 --branch -z --no-renames`; `complete` = it came to its end. */
export function parseStatus(output: string, complete: boolean): TreeState {
  const state: TreeState = { noCommits: false, branch: null, entries: null };
  const entries = { changed: 0, unmerged: 0, untracked: 0 };
  for (const line of output.split('\0')) {
    if (line === '# branch.oid (initial)') state.noCommits = true;
    else if (line.startsWith(BRANCH) && line !== `${BRANCH}(detached)`)
      state.branch = printable(line.slice(BRANCH.length));
    else if (line.startsWith('1 ')) entries.changed += 1;
    else if (line.startsWith('u ')) entries.unmerged += 1;
    else if (line.startsWith('? ')) entries.untracked += 1;
  }
  return complete ? { ...state, entries } : state;
}

const BRANCH = '# branch.head ';

function describe(facts: SurveyMeta, measured: Measured): string[] {
  const where = facts.branch === null ? 'at a detached HEAD' : `on ${code(facts.branch)}`;
  const languages = measured.languages
    .map(({ name, lines }) => `${name} ${count(lines)}`)
    .join(' · ');
  const largest = measured.largest
    .map(({ name, bytes }) => `${codeCell(name)} ${size(bytes)}`)
    .join(' · ');
  return [
    `**${facts.repository}** ${where}: ${counted(facts.files, 'file')}, ${counted(facts.lines, 'line')} of text, ${size(facts.bytes)}.`,
    '',
    ...(languages === '' ? [] : [`- Lines: ${languages}`]),
    ...(largest === '' ? [] : [`- Largest: ${largest}`]),
    `- Working tree: ${facts.workingTree}`,
    ...facts.leftOut.map((note) => `- Left out: ${note}`),
  ];
}

function workingTreeWords({ entries }: TreeState, deleted: number): string {
  if (entries === null) return 'not compared, git could not finish';
  const { changed, unmerged, untracked } = entries;
  const said = [
    ...(changed > 0
      ? [`${counted(changed, 'file')} changed${deleted > 0 ? ` (${count(deleted)} deleted)` : ''}`]
      : []),
    ...(unmerged > 0 ? [`${count(unmerged)} in an unfinished merge`] : []),
    ...(untracked > 0 ? [`${count(untracked)} untracked`] : []),
  ];
  return said.length === 0 ? 'clean' : said.join(', ');
}
