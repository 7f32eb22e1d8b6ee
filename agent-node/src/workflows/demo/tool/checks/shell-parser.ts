import { randomUUID } from 'node:crypto';
import { closeSync } from 'node:fs';
import { capture } from '../capture.js';
import { PARSE_TIMEOUT_MS, SCRIPTS_OUTPUT_MAX_BYTES, SCRIPTS_PER_PROCESS } from '../limits.js';

export type Shell = 'sh' | 'bash';

/** The first fault, null when there is none; `missing`: no such shell here; `unfinished`: it was ended early. */
export type Parsed = { line: number | null; message: string } | 'missing' | 'unfinished' | null;

export type ShellParser = {
  /** Takes the open file and closes it. Resolves once its batch is full or flushed, and parsed. */
  parse: (shell: Shell, descriptor: number) => Promise<Parsed>;
  flush: () => void;
};

// Starts one shell per script from a small process of its own, which costs a third of starting each from here. The open
// files are handed over, so that no name reaches an argument list. extglob patterns are only valid where the option is
// on, which `-n` cannot see being switched on.
const DRIVER = `
mark=$1; shift
file=3
for shell; do
  case $shell in
    bash) bash -O extglob -n /dev/fd/$file ;;
    *) sh -n /dev/fd/$file ;;
  esac
  echo "$mark $?"
  file=$((file + 1))
done 2>&1
`;

const NOT_FOUND = 127;

type Job = {
  shell: Shell;
  descriptor: number;
  done: (parsed: Parsed) => void;
  failed: (error: unknown) => void;
};

/** Has shells parse scripts without running them, in batches, beside whatever else this process does. */
export function createShellParser(): ShellParser {
  let waiting: Job[] = [];
  const flush = () => {
    const jobs = waiting;
    waiting = [];
    if (jobs.length === 0) return;
    parseBatch(jobs).catch((error) => {
      for (const { failed } of jobs) failed(error);
    });
  };
  return {
    parse: (shell, descriptor) =>
      new Promise((done, failed) => {
        waiting.push({ shell, descriptor, done, failed });
        if (waiting.length === SCRIPTS_PER_PROCESS) flush();
      }),
    flush,
  };
}

async function parseBatch(jobs: readonly Job[]): Promise<void> {
  // A script cannot know it, so nothing that a shell quotes of it can look like the end of an answer.
  const mark = randomUUID();
  // BASH_ENV and ENV name files that a shell runs before anything else.
  const { BASH_ENV: _, ENV: __, SHELLOPTS: ___, BASHOPTS: ____, ...env } = process.env;
  const running = capture('sh', ['-c', DRIVER, 'sh', mark, ...jobs.map(({ shell }) => shell)], {
    cwd: '/',
    env: { ...env, LC_ALL: 'C' },
    maxBytes: SCRIPTS_OUTPUT_MAX_BYTES,
    timeoutMs: PARSE_TIMEOUT_MS,
    descriptors: jobs.map(({ descriptor }) => descriptor),
  });
  // The driver has its own by now.
  for (const { descriptor } of jobs) closeSync(descriptor);
  const { stdout, missing } = await running;
  const answers = parseAnswers(stdout.toString('utf8'), mark);
  for (const [index, { done }] of jobs.entries())
    done(missing ? 'missing' : answers[index] === undefined ? 'unfinished' : answers[index]);
}

function parseAnswers(output: string, mark: string): Parsed[] {
  const answers: Parsed[] = [];
  let from = 0;
  for (const ended of output.matchAll(new RegExp(`^${mark} (\\d+)\\n`, 'gm'))) {
    const code = Number(ended[1]);
    answers.push(code === 0 ? null : faultOf(output.slice(from, ended.index), code));
    from = ended.index + ended[0].length;
  }
  return answers;
}

function faultOf(said: string, code: number): Parsed {
  if (code === NOT_FOUND) return 'missing';
  const fault = /^\/dev\/fd\/\d+: (?:line )?(\d+): (.*)$/m.exec(said);
  return fault === null
    ? { line: null, message: said.trim().split('\n', 1)[0] || `exit code ${code}` }
    : { line: Number(fault[1]), message: fault[2] ?? '' };
}
