import { basename } from 'node:path';
import type { Answer } from './answer.js';
import { type Obstacle, openRepository, type Repository } from './git.js';
import { isLockFile, languageOf, mainLanguage } from './languages.js';
import {
  LANGUAGES_LISTED,
  LARGE_FILES_LISTED,
  READ_FILE_MAX_BYTES,
  READ_TIME_MAX_MS,
  READ_TOTAL_MAX_BYTES,
  WORKTREE_TIMEOUT_MS,
} from './limits.js';
import { code, codeCell, count, counted, printable, size } from './printable.js';
import { createFileReader, type FileReader } from './read-file.js';
import type { SurveyFacts } from './so-far.js';
import { listTrackedFiles, type TrackedFile } from './tracked-files.js';

/** First role: what is in the repository. */
export async function survey(directory: string): Promise<Answer> {
  const repository = await openRepository(directory);
  if ('status' in repository) return stopped(repository);
  const { files, total } = await listTrackedFiles(repository);
  const name = printable(basename(repository.root)) || '/';
  if (!repository.hasCommits) {
    const staged = total === 0 ? 'nothing is staged either' : `${counted(total, 'file')} staged`;
    return stopped({
      status: 'no-commits',
      why: `the repository ${name} has no commit yet (${staged})`,
    });
  }
  const measured = measure(files, createFileReader(repository.root));
  const facts: SurveyFacts = {
    repository: name,
    branch: await currentBranch(repository),
    files: total,
    ...measured,
    changed: await countEntries(repository, [
      'diff',
      '--name-only',
      '-z',
      ...NO_PROGRAMS,
      'HEAD',
      '--',
    ]),
    untracked: await countEntries(repository, [
      'ls-files',
      '-z',
      '--others',
      '--exclude-standard',
      '--directory',
    ]),
    unmerged: files.filter((file) => file.unmerged).length,
    leftOut: [
      ...(total > files.length
        ? [`${counted(total - files.length, 'file')} past the first ${count(files.length)}`]
        : []),
      ...measured.leftOut,
    ],
  };
  return {
    body: describe(facts),
    meta: {
      $status: 'surveyed',
      repository: facts.repository,
      files: facts.files,
      lines: facts.lines,
      language: mainLanguage(facts.languages) ?? 'none',
      soFar: { survey: facts },
    },
  };
}

const NO_PROGRAMS = ['--no-ext-diff', '--no-textconv', '--no-renames'];

type Stop = Obstacle | { status: 'no-commits'; why: string };

function stopped({ status, why }: Stop): Answer {
  return { body: [`**Nothing to survey**: ${why}.`], meta: { $status: status, why } };
}

type Measured = Pick<
  SurveyFacts,
  'textFiles' | 'lines' | 'bytes' | 'languages' | 'largest' | 'deleted' | 'leftOut'
>;

function measure(files: readonly TrackedFile[], reader: FileReader): Measured {
  const languages = new Map<string, { files: number; lines: number }>();
  const sizes: { name: string; bytes: number }[] = [];
  const skipped = new Map<string, number>();
  const skip = (reason: string) => skipped.set(reason, (skipped.get(reason) ?? 0) + 1);
  const sum = { textFiles: 0, lines: 0, bytes: 0, deleted: 0 };
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
          sum.textFiles += 1;
          sum.lines += lines;
          const language = isLockFile(file.key) ? null : languageOf(file.key);
          if (language !== null) {
            const known = languages.get(language) ?? { files: 0, lines: 0 };
            languages.set(language, { files: known.files + 1, lines: known.lines + lines });
          }
        }
      }
    }
  }
  return {
    ...sum,
    languages: [...languages]
      .map(([name, counts]) => ({ name, ...counts }))
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

async function countEntries(
  repository: Repository,
  args: readonly string[],
): Promise<number | null> {
  let entries = 0;
  const listed = await repository.git(args, {
    timeoutMs: WORKTREE_TIMEOUT_MS,
    maxBytes: Number.POSITIVE_INFINITY,
    keep: false,
    onChunk: (chunk) => {
      for (let at = chunk.indexOf(0); at !== -1; at = chunk.indexOf(0, at + 1)) entries += 1;
      return true;
    },
  });
  return listed.code === 0 ? entries : null;
}

async function currentBranch(repository: Repository): Promise<string | null> {
  const asked = await repository.git(['symbolic-ref', '--quiet', '--short', 'HEAD']);
  return asked.code === 0 ? printable(asked.stdout.toString('utf8').trim()) : null;
}

function describe(facts: SurveyFacts): string[] {
  const where = facts.branch === null ? 'at a detached HEAD' : `on ${code(facts.branch)}`;
  const languages = facts.languages.map(({ name, lines }) => `${name} ${count(lines)}`).join(' · ');
  const largest = facts.largest
    .map(({ name, bytes }) => `${codeCell(name)} ${size(bytes)}`)
    .join(' · ');
  return [
    `**${facts.repository}** ${where}: ${counted(facts.files, 'file')}, ${counted(facts.lines, 'line')} of text, ${size(facts.bytes)}.`,
    '',
    ...(languages === '' ? [] : [`- Lines: ${languages}`]),
    ...(largest === '' ? [] : [`- Largest: ${largest}`]),
    `- Working tree: ${workingTree(facts)}`,
    ...facts.leftOut.map((note) => `- Left out: ${note}`),
  ];
}

/** The state of the working tree in a few words. */
export function workingTree({ changed, untracked, deleted, unmerged }: SurveyFacts): string {
  const said = [
    ...(changed === null ? ['changes not counted (git took too long)'] : []),
    ...(changed !== null && changed > 0
      ? [`${counted(changed, 'file')} changed${deleted > 0 ? ` (${count(deleted)} deleted)` : ''}`]
      : []),
    ...(unmerged > 0 ? [`${count(unmerged)} in an unfinished merge`] : []),
    ...(untracked === null ? ['untracked files not counted'] : []),
    ...(untracked !== null && untracked > 0 ? [`${count(untracked)} untracked`] : []),
  ];
  return said.length === 0 ? 'clean' : said.join(', ');
}
