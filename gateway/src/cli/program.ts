import { Problem } from '@uncaged/protocol/problem';
import { Command, CommanderError } from 'commander';
import { VERSION } from '../server/index.js';
import type { CliContext } from './context.js';
import { reportFailure } from './failure.js';
import { registerStart } from './start.js';
import { registerToken } from './token.js';

const EPILOGUE = `
Environment variables:
  WORKFLOW_DASHBOARD_SECRET  the gateway's key, at least 16 characters; without it one is made and kept in <data>/key

Exit codes: 0 done, 1 failed, 2 wrong input, 4 not possible now, 5 not allowed`;

/** Runs one command line of \`uwf-gateway\` and returns its exit code. Nothing is thrown. */
export async function runCli(context: CliContext & { argv: readonly string[] }): Promise<number> {
  const { argv, stdout } = context;
  const json = argv.includes('--json');
  let usage = '';
  const program = new Command('uwf-gateway')
    .description('the central process that nodes dial and browsers talk to')
    .version(VERSION, '-V, --version', 'print the version')
    .exitOverride()
    .showHelpAfterError()
    .configureOutput({
      writeOut: (text) => void stdout.write(text),
      writeErr: (text) => {
        usage += text;
      },
      outputError: () => undefined,
    })
    .addHelpText('after', EPILOGUE);
  const outcome = { exitCode: 0 };
  registerStart(program, context, outcome);
  registerToken(program, context, outcome);
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return outcome.exitCode;
  } catch (error) {
    if (!(error instanceof CommanderError)) return reportFailure(error, { ...context, json });
    if (error.exitCode === 0) return 0;
    if (!json && usage !== '') context.stderr.write(`${usage.trim()}\n\n`);
    const text = error.message.replace(/^error: /, '');
    const reason = error.code === 'commander.help' ? 'say what to do: start or token' : text;
    return reportFailure(new Problem('invalid-argument', reason), { ...context, json });
  }
}
