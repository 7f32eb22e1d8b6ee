import { WORKTREE_TIMEOUT_MS } from '../limits.js';
import { shownName } from '../printable.js';
import { unquoteName } from '../quoted-name.js';
import { createCollector } from './collect.js';
import type { TreeCheck } from './types.js';

const NO_PROGRAMS = ['--no-ext-diff', '--no-textconv', '--no-renames', '--no-color'];

/** `git diff --check`: what is not committed yet, and the last commit against its first parent. */
export const whitespace: TreeCheck = {
  kind: 'tree',
  name: 'whitespace',
  run: async ({ repository }) => {
    const collector = createCollector('whitespace');
    if (!repository.hasCommits) return collector.result();
    const parent = await repository.git(['rev-parse', '--verify', '--quiet', 'HEAD^1^{commit}']);
    const runs = [
      { where: 'not committed', args: ['diff', '--check', ...NO_PROGRAMS, 'HEAD', '--'] },
      // The first commit of a repository brings in everything as it was: its spaces are nobody's latest change.
      ...(parent.code === 0
        ? [
            {
              where: 'last commit',
              args: ['diff', '--check', ...NO_PROGRAMS, 'HEAD^1', 'HEAD', '--'],
            },
          ]
        : []),
    ];
    for (const { where, args } of runs) {
      const checked = await repository.git(args, { timeoutMs: WORKTREE_TIMEOUT_MS });
      collector.looked();
      if (checked.timedOut) collector.note(`part of what is ${where}: git took too long`);
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
