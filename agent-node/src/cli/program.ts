import { Problem } from '@uncaged/protocol/problem';
import { Command, CommanderError } from 'commander';
import type { CliContext } from './context.js';
import { reportFailure } from './failure.js';
import { type Group, groups } from './groups.js';
import {
  HELP_DEFAULT_COLUMNS,
  QUOTED_MAX_CHARACTERS,
  USAGE_REASON_MAX_CHARACTERS,
} from './limits.js';
import { renderTerminalText } from './output/index.js';

const EXIT_USAGE = 2;

const EPILOGUE = `
\`uwf help <command>\` (for example \`uwf help workflow add\`) explains one. Every command takes --json.

Environment variables:
  UNCAGED_WORKFLOW_STORAGE_ROOT  directory of the store (wins)
  WORKFLOW_STORAGE_ROOT          directory of the store; default ~/.uncaged/workflow
  NO_COLOR                       no colours, whatever its value
  UWF_DEBUG                      show where an error comes from

Exit codes: 0 done, 1 failed, 2 wrong input, 3 not found, 4 not possible now, 5 not allowed, 6 busy or unreachable, 130 cancelled`;

/** Runs one command line and returns its exit code. Nothing is thrown. */
export async function runCli(
  context: CliContext,
  table: readonly Group[] = groups,
): Promise<number> {
  const argv = withoutHelpCommand(context.argv);
  const usage = { error: '', help: '' };
  try {
    if (argv[0] === '-V' || argv[0] === '--version') return await printVersion(context);
    const program = createProgram(context, usage);
    for (const group of table) {
      const added = program.command(group.name).description(group.summary).helpGroup(group.section);
      added.helpCommand(false).allowExcessArguments(false);
      if (argv[0] !== group.name) continue;
      const { register } = await group.load();
      register(added, context);
      if (added.commands.length > 0) listsSubcommands(added, context);
    }
    await program.parseAsync(argv, { from: 'user' });
    return context.exitCode;
  } catch (error) {
    if (!(error instanceof CommanderError)) {
      return reportFailure(error, { ...context, json: asksForJson(argv) });
    }
    if (error.exitCode === 0) return 0;
    return usageError(context, usage.help, usage.error || error.message, asksForJson(argv));
  }
}

/**
 * A subcommand with `--json`; `words` as commander writes them: `show <name>`. What follows (options, arguments, action) is
 * given to the result.
 */
export function subcommand(parent: Command, words: string, description: string): Command {
  // A group takes any words, to say which it does not know; its parts must not inherit that.
  return withJson(parent.command(words).description(description).allowExcessArguments(false));
}

/** For top-level commands that do something themselves. */
export function withJson(command: Command): Command {
  return command.option('--json', 'print the result as JSON');
}

function createProgram(context: CliContext, usage: { error: string; help: string }): Command {
  const program = new Command('uwf')
    .description(
      'uwf — run several agents over real repositories: see, steer, trust and repeat what happened',
    )
    .usage('<command> [options]')
    .option('-V, --version', 'print the version')
    .helpCommand(false)
    .exitOverride()
    .showHelpAfterError()
    .configureOutput({
      writeOut: (text) => void context.stdout.write(text),
      writeErr: (text) => {
        usage.help += text;
      },
      outputError: (text) => {
        usage.error += text;
      },
      getOutHelpWidth: () => context.stdout.columns ?? HELP_DEFAULT_COLUMNS,
      getErrHelpWidth: () => context.stderr.columns ?? HELP_DEFAULT_COLUMNS,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .addHelpText('after', EPILOGUE);
  listsSubcommands(program, context);
  return program;
}

/** Alone it prints its usage (on stdout, but as an error: nothing was done); with an unknown word it says so. */
function listsSubcommands(parent: Command, context: CliContext): void {
  parent
    .allowExcessArguments()
    .allowUnknownOption()
    .action(() => {
      const words = parent.args;
      if (words.length === 0) {
        parent.outputHelp();
        context.exitCode = EXIT_USAGE;
        return;
      }
      const word = words.find((candidate) => !candidate.startsWith('-'));
      const path = parent.parent === null ? 'command' : `${parent.name()} command`;
      const known = parent.commands.map((child) => child.name()).join(', ');
      const reason =
        word === undefined
          ? `unknown option ${shorten(words[0]!)}`
          : `unknown ${path} ${shorten(word)}; there are: ${known}`;
      const json = asksForJson(context.argv);
      context.exitCode = usageError(context, parent.helpInformation(), reason, json);
    });
}

function usageError(context: CliContext, help: string, reason: string, json: boolean): number {
  const text = reason.replace(/^error: /, '').trim();
  const problem = new Problem('invalid-argument', text.slice(0, USAGE_REASON_MAX_CHARACTERS));
  if (!json && help.trim() !== '') context.stderr.write(`${renderTerminalText(help.trim())}\n\n`);
  return reportFailure(problem, { ...context, json });
}

/** `help thread list` means `thread list --help`. */
function withoutHelpCommand(argv: readonly string[]): string[] {
  return argv[0] === 'help' ? [...argv.slice(1), '--help'] : [...argv];
}

function asksForJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return (end < 0 ? argv : argv.slice(0, end)).includes('--json');
}

function shorten(word: string): string {
  const cut =
    word.length > QUOTED_MAX_CHARACTERS ? `${word.slice(0, QUOTED_MAX_CHARACTERS)}…` : word;
  return JSON.stringify(cut);
}

async function printVersion(context: CliContext): Promise<number> {
  const { VERSION } = await import('../executor/index.js');
  context.stdout.write(`${VERSION}\n`);
  return 0;
}
