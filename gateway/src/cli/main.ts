import { runCli } from './program.js';

// Whoever read the first line has seen enough.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') process.exit(1);
});
// Nobody is left to tell.
process.stderr.on('error', () => undefined);

process.exitCode = await runCli({
  argv: process.argv.slice(2),
  env: process.env,
  stdout: process.stdout,
  stderr: process.stderr,
});
