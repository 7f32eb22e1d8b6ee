import { type Answer, formatAnswer } from './answer.js';
import { printable } from './printable.js';

// The program behind the built-in workflow `demo`: `demo.js <role>` looks at the git repository around the current
// directory, with all steps before this one in UWF_STEPS_FILE, and prints the role's answer. It reads and never writes,
// follows no symlink out of the repository, and runs nothing but git, and shells and Node that only parse.

type Role = () => Promise<Answer>;

// Each role loads what it needs and no more: it runs in a process of its own, and somebody waits for it.
const ROLES: ReadonlyMap<string, Role> = new Map<string, Role>([
  ['survey', async () => (await import('./survey.js')).survey(process.cwd())],
  ['history', async () => (await import('./history.js')).history(process.cwd())],
  [
    'checks',
    async () => (await import('./checks.js')).checks(process.cwd(), await stepsBeforeThis()),
  ],
  ['triage', async () => (await import('./triage.js')).triage(await stepsBeforeThis())],
  ['report', async () => (await import('./report.js')).report(await stepsBeforeThis())],
]);

async function stepsBeforeThis() {
  return (await import('./steps.js')).readSteps(process.env.UWF_STEPS_FILE);
}

async function main(role: string | undefined): Promise<void> {
  const play = ROLES.get(role ?? '');
  if (play === undefined) {
    process.stderr.write(
      `demo: unknown role ${role ?? '(none)'}; one of ${[...ROLES.keys()].join(', ')}\n`,
    );
    process.exitCode = 2;
    return;
  }
  const answer = await answerOrFailure(role ?? '', play);
  if (answer === null) process.exitCode = 1;
  else process.stdout.write(formatAnswer(answer));
}

/** A role that breaks says so in its meta, so that the report can still be made of what the others have found. */
async function answerOrFailure(role: string, play: Role): Promise<Answer | null> {
  try {
    return await play();
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
    // Nothing comes after the report: the thread stops here and can be retried.
    if (role === 'report') return null;
    const why = `the step ${role} could not finish: ${printable(error instanceof Error ? error.message : String(error))}`;
    return { body: [`**Not finished**: ${why}.`], meta: { $status: 'failed', why } };
  }
}

await main(process.argv[2]);
