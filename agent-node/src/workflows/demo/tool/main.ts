import { type Answer, formatAnswer } from './answer.js';
import { checks } from './checks.js';
import { history } from './history.js';
import { printable } from './printable.js';
import { report } from './report.js';
import { type PreviousMeta, readPreviousMeta } from './so-far.js';
import { survey } from './survey.js';
import { triage } from './triage.js';

// The program behind the built-in workflow `demo`: `demo.js <role>` looks at the git repository around the current
// directory, with the previous step's meta in UWF_META_FILE, and prints the role's answer. It reads and never writes,
// follows no symlink out of the repository, and runs nothing but git, and shells and Node that only parse.

type Role = (previous: PreviousMeta) => Promise<Answer> | Answer;

const ROLES: ReadonlyMap<string, Role> = new Map<string, Role>([
  ['survey', () => survey(process.cwd())],
  ['history', (previous) => history(process.cwd(), previous)],
  ['checks', (previous) => checks(process.cwd(), previous)],
  ['triage', triage],
  ['report', report],
]);

async function main(role: string | undefined): Promise<void> {
  const play = ROLES.get(role ?? '');
  if (play === undefined) {
    process.stderr.write(
      `demo: unknown role ${role ?? '(none)'}; one of ${[...ROLES.keys()].join(', ')}\n`,
    );
    process.exitCode = 2;
    return;
  }
  const previous = readPreviousMeta(process.env.UWF_META_FILE);
  process.stdout.write(
    formatAnswer(await answerOrFailure(role ?? '', () => play(previous), previous)),
  );
}

/** A role that breaks hands on what was found before it, so that the report can still be made. */
async function answerOrFailure(
  role: string,
  play: () => Promise<Answer> | Answer,
  previous: PreviousMeta,
): Promise<Answer> {
  try {
    return await play();
  } catch (error) {
    if (role === 'report') throw error;
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
    const why = `the step ${role} could not finish: ${printable(error instanceof Error ? error.message : String(error))}`;
    return {
      body: [`**Not finished**: ${why}.`],
      meta: {
        $status: 'failed',
        why,
        soFar: { ...previous.soFar, trouble: [...(previous.soFar?.trouble ?? []), why] },
      },
    };
  }
}

await main(process.argv[2]);
