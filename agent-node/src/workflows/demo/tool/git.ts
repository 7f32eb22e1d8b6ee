import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Captured, type CaptureOptions, capture, complaint } from './capture.js';
import { GIT_OUTPUT_MAX_BYTES, GIT_TIMEOUT_MS } from './limits.js';
import { printable } from './printable.js';
import { LIST_ARGS, parseTrackedFiles, type TrackedFiles } from './tracked-files.js';

/** A repository that can be read. */
export type Repository = {
  /** The top of its working tree, absolute, symlinks resolved. */
  root: string;
  shallow: boolean;
  tracked: TrackedFiles;
  git: (args: readonly string[], options?: GitOptions) => Promise<Captured>;
};

export type GitOptions = Partial<Pick<CaptureOptions, 'input'>>;

export type Obstacle = {
  status: 'no-git' | 'not-a-repository' | 'unreadable';
  why: string;
};

// The repository's own configuration is not trusted: several of its settings name programs that git starts while
// only reading. Each is switched off here, for every call:
// - core.fsmonitor, core.hooksPath: started by anything that looks at the index
// - diff.external and diff.<driver>.command, textconv: by diffs (--no-ext-diff, --no-textconv at the calls too)
// - filter.<name>.clean/process: by comparing the working tree with the index; the names are listed and emptied
// - gpg.program: by log.showSignature
// - core.sshCommand, remote helpers, credential helpers: by the download of objects that a partial clone lacks;
//   no protocol is allowed at all
// - submodules, which carry a configuration of their own, are never entered
// - pagers and aliases: output is no terminal, and built-in commands cannot be aliased
const SAFE_CONFIG = [
  'core.fsmonitor=false',
  'core.hooksPath=/dev/null',
  'core.quotePath=true',
  'core.pager=cat',
  'core.sshCommand=false',
  'core.askPass=false',
  'credential.helper=',
  'diff.external=',
  'diff.ignoreSubmodules=all',
  'diff.relative=false',
  'log.showSignature=false',
  'log.showRoot=true',
  'log.follow=false',
  'protocol.allow=never',
  'submodule.recurse=false',
  'color.ui=false',
  // Not loaded to be compared line by line.
  'core.bigFileThreshold=5m',
];

// Where git itself and its user's settings are, and how far up it may look.
const KEPT_VARIABLES = new Set([
  'GIT_CEILING_DIRECTORIES',
  'GIT_DISCOVERY_ACROSS_FILESYSTEM',
  'GIT_CONFIG_GLOBAL',
  'GIT_CONFIG_SYSTEM',
  'GIT_CONFIG_NOSYSTEM',
  'GIT_EXEC_PATH',
]);

function gitEnvironment(): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = {};
  // GIT_DIR and the like would point git at another repository than the workspace.
  for (const [name, value] of Object.entries(process.env)) {
    if (!name.startsWith('GIT_') || KEPT_VARIABLES.has(name)) env[name] = value;
  }
  return {
    ...env,
    LC_ALL: 'C',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: 'none',
    GIT_LITERAL_PATHSPECS: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
  };
}

/** Opens the repository around a directory and lists its files, or says what is in the way. */
export async function openRepository(directory: string): Promise<Repository | Obstacle> {
  const env = gitEnvironment();
  const base = SAFE_CONFIG.flatMap((setting) => ['-c', setting]);
  const run = (
    cwd: string,
    extra: readonly string[],
    args: readonly string[],
    options: GitOptions = {},
  ) =>
    capture('git', ['--no-pager', ...base, ...extra, ...args], {
      cwd,
      env,
      maxBytes: GIT_OUTPUT_MAX_BYTES,
      timeoutMs: GIT_TIMEOUT_MS,
      ...options,
    });

  const here = realpathSync(directory);
  const guess = nearestTop(here);
  // At once, because most of what they take is their start: where git sees the top of the tree, which filters it knows,
  // and the files below the place that is the top unless the repository is an odd one.
  const [place, filterNames, listedAtGuess] = await Promise.all([
    run(here, [], PLACE_ARGS),
    run(here, [], FILTER_ARGS),
    guess === null ? null : run(guess, [], LIST_ARGS),
  ]);
  const found = topOf(place, here);
  if ('status' in found) return found;
  const filters = filterOverrides(filterNames);
  if (!Array.isArray(filters)) return filters;
  const { root, shallow } = found;
  const listed =
    listedAtGuess !== null && root === guess ? listedAtGuess : await run(root, filters, LIST_ARGS);
  if (listed.code !== 0 && !listed.cut) {
    throw new Error(`git could not list the files: ${complaint(listed)}`);
  }
  return {
    root,
    shallow,
    tracked: parseTrackedFiles(listed.stdout),
    git: (args, options) => run(root, filters, args, options),
  };
}

const PLACE_ARGS = [
  'rev-parse',
  '--is-inside-work-tree',
  '--is-shallow-repository',
  '--show-toplevel',
];
const FILTER_ARGS = ['config', '--null', '--name-only', '--get-regexp', '^filter\\.'];

/** The nearest directory upward with a `.git`; null when there is none. */
function nearestTop(directory: string): string | null {
  for (let one = directory; ; one = dirname(one)) {
    if (existsSync(join(one, '.git'))) return one;
    if (one === dirname(one)) return null;
  }
}

function topOf(place: Captured, directory: string): { root: string; shallow: boolean } | Obstacle {
  const obstacle = obstacleOf(place, directory);
  if (obstacle !== null) return obstacle;
  const [inside, shallow, ...rest] = place.stdout.toString('utf8').split('\n');
  const root = rest.join('\n').replace(/\n$/, '');
  if (inside !== 'true' || root === '') {
    return {
      status: 'not-a-repository',
      why: `${printable(directory)} belongs to a bare repository: there are no files to look at`,
    };
  }
  if (!holds(root, directory) || !existsSync(join(root, '.git'))) {
    // core.worktree can point anywhere, up to the root of the disk; files outside of the workspace's own tree are none of our business.
    return {
      status: 'unreadable',
      why: `the repository's configuration puts its files at ${printable(root)}, outside of ${printable(directory)}`,
    };
  }
  return { root, shallow: shallow === 'true' };
}

function obstacleOf(place: Captured, directory: string): Obstacle | null {
  if (place.missing) {
    return { status: 'no-git', why: 'git is not installed, or not in the PATH of this node' };
  }
  if (place.code === 0) return null;
  if (/not a git repository/i.test(place.stderr)) {
    return {
      status: 'not-a-repository',
      why: `${printable(directory)} is not inside a git repository`,
    };
  }
  if (/must be run in a work tree/i.test(place.stderr)) {
    return {
      status: 'not-a-repository',
      why: `${printable(directory)} has no working tree to look at`,
    };
  }
  return {
    status: 'unreadable',
    why: `git cannot read ${printable(directory)}: ${complaint(place)}`,
  };
}

function holds(root: string, directory: string): boolean {
  return root === '/' || directory === root || directory.startsWith(`${root}/`);
}

function filterOverrides(listed: Captured): string[] | Obstacle {
  // Exit 1 = there are none. Anything else and the list cannot be relied on.
  if (listed.code !== 0 && listed.code !== 1) {
    return { status: 'unreadable', why: `git cannot read its configuration: ${complaint(listed)}` };
  }
  const drivers = new Set<string>();
  for (const key of listed.stdout.toString('utf8').split('\0')) {
    const driver = /^filter\.(.+)\.[^.]+$/s.exec(key)?.[1];
    if (driver === undefined) continue;
    if (driver.includes('=')) {
      // `-c` splits at the first `=`, so this filter could not be switched off.
      return {
        status: 'unreadable',
        why: `the repository configures a filter program under the odd name ${printable(driver)}; remove it first`,
      };
    }
    drivers.add(driver);
  }
  return [...drivers].flatMap((driver) =>
    ['clean=', 'smudge=', 'process=', 'required=false'].flatMap((setting) => [
      '-c',
      `filter.${driver}.${setting}`,
    ]),
  );
}
