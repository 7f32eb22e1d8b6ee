import { Problem } from '@uncaged/protocol/problem';
import { runCli } from './program.js';

const EXIT_INTERRUPTED = 130;

/** Until a command asks, Ctrl-C ends the process as usual. */
function createInterruption(): () => AbortSignal {
  const controller = new AbortController();
  let taken = false;
  const onSignal = () => {
    if (controller.signal.aborted) process.exit(EXIT_INTERRUPTED);
    controller.abort();
  };
  return () => {
    if (!taken) {
      taken = true;
      process.on('SIGINT', onSignal);
      process.on('SIGTERM', onSignal);
    }
    return controller.signal;
  };
}

function currentDirectory(): string {
  try {
    return process.cwd();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new Problem(
      'invalid-workspace',
      'The current directory no longer exists. Change to another one.',
      {
        cause: error,
      },
    );
  }
}

// `uwf … | head`: whoever read has seen enough.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  process.stderr.write(`error: cannot write the output: ${error.message}\n`);
  process.exit(1);
});
// Nobody is left to tell.
process.stderr.on('error', () => process.exit(1));

process.exitCode = await runCli({
  argv: process.argv.slice(2),
  env: process.env,
  cwd: currentDirectory,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  clock: Date.now,
  interruption: createInterruption(),
  exitCode: 0,
});
