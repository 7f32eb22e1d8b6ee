import { shownName } from '../printable.js';
import { unquoteName } from '../quoted-name.js';
import { createCollector } from './collect.js';
import type { WholeCheck } from './types.js';

const CHECK = ['diff', '--check', '--no-ext-diff', '--no-textconv', '--no-renames', '--no-color'];

const DIFFS = [
  { where: 'not committed', between: ['HEAD'] },
  // Fails on the first commit, which brings in everything as it was: its spaces are nobody's latest change.
  { where: 'last commit', between: ['HEAD^1', 'HEAD'] },
];

/** Ends with 0, or with 2 when there are findings. */
const MEANT_EXIT_CODES = new Set<number | null>([0, 2]);

/** `git diff --check`: what is not committed yet, and the last commit against its first parent. */
export const whitespace: WholeCheck = {
  kind: 'git',
  name: 'whitespace',
  run: async ({ repository }) => {
    const collector = createCollector('whitespace');
    const diffs = await Promise.all(
      DIFFS.map(async ({ where, between }) => ({
        where,
        checked: await repository.git([...CHECK, ...between, '--']),
      })),
    );
    for (const { where, checked } of diffs) {
      if (checked.timedOut || checked.cut)
        collector.note(`part of what is ${where}: git could not finish`);
      else if (MEANT_EXIT_CODES.has(checked.code)) collector.looked();
      for (const found of parseDiffCheck(checked.stdout.toString('latin1'))) {
        collector.found({
          name: shownName(found.key),
          line: found.line,
          what: `${found.what} (${where})`,
          sample: false,
        });
      }
    }
    return collector.result();
  },
};

/** Reads the lines `<name>:<line>: <what>.`; the lines that quote the file begin with `+`. */
export function parseDiffCheck(output: string): { key: string; line: number; what: string }[] {
  const found = [];
  let expectQuote = false;
  for (const line of output.split('\n')) {
    // A quoted line follows each finding and may itself look like one.
    if (expectQuote && line.startsWith('+')) {
      expectQuote = false;
      continue;
    }
    const match = /^(.+):(\d+): (.+?)\.?$/.exec(line);
    if (match === null) continue;
    expectQuote =
      !match[3]?.startsWith('new blank line at EOF') &&
      !match[3]?.startsWith('leftover conflict marker');
    found.push({ key: unquoteName(match[1] ?? ''), line: Number(match[2]), what: match[3] ?? '' });
  }
  return found;
}
