// `npm start`: installs, builds and runs the built-in workflow `demo` on this repository, live on this terminal.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { ensureBuilt } from './build.mjs';
import { ensureInstalled } from './install.mjs';
import { repository, uwf } from './paths.mjs';

const STORAGE = join(repository, '.data', 'node');
const ENVIRONMENT = { ...process.env, UNCAGED_WORKFLOW_STORAGE_ROOT: STORAGE };

await ensureInstalled();
await ensureBuilt();
process.exitCode = await runDemo();

/**
 * Starts the thread and shows it until it ends. Ctrl-C ends the thread too: what this command started, it stops.
 *
 * @returns {Promise<number>} exit code: of the thread, or 130 after Ctrl-C
 */
async function runDemo() {
  const stopped = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => stopped.abort());

  console.log('\nThe workflow `demo` looks at this repository. It only reads.\n');
  // In a group of its own, so that Ctrl-C cannot hit it after it has started the thread and before it says which.
  const started = await runUwf(['run', 'demo', '--json'], { keepOutput: true, detached: true });
  if (started.code !== 0) return started.code;
  const thread = JSON.parse(started.output).threadId;

  const shown = stopped.signal.aborted ? null : await runUwf(['live', thread]);
  if (stopped.signal.aborted) await runUwf(['thread', 'kill', thread]);
  await sayHowToGoOn(thread);
  return stopped.signal.aborted ? 130 : shown.code;
}

function runUwf(args, { keepOutput = false, detached = false } = {}) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [uwf, ...args], {
      cwd: repository,
      env: ENVIRONMENT,
      stdio: ['ignore', keepOutput ? 'pipe' : 'inherit', 'inherit'],
      detached,
    });
    const chunks = [];
    child.stdout?.on('data', (chunk) => chunks.push(chunk));
    child.on('close', (code) => {
      resolve({ code: code ?? 1, output: Buffer.concat(chunks).toString('utf8') });
    });
  });
}

async function sayHowToGoOn(thread) {
  const listed = await runUwf(['step', 'list', thread, '--json'], { keepOutput: true });
  const last =
    listed.code === 0
      ? JSON.parse(listed.output).items.findLast((step) => step.hash !== null)
      : undefined;
  const commands = [
    [`thread show ${thread}`, 'the thread: its steps and how it ended'],
    [`step list ${thread}`, 'one line per step'],
    ...(last === undefined ? [] : [[`step show ${last.hash}`, `all that ${last.role} answered`]]),
    ['thread list', 'every thread of this store'],
    ['workflow show demo', 'the workflow itself: roles, and where control goes'],
    ['run demo --wait', 'once more'],
  ];
  const width = Math.max(...commands.map(([command]) => command.length));
  console.log('\nLook further (in this directory):');
  console.log(`  export UNCAGED_WORKFLOW_STORAGE_ROOT=${quoted(STORAGE)}`);
  for (const [command, what] of commands) {
    console.log(`  npx uwf ${command.padEnd(width)}   # ${what}`);
  }
}

function quoted(path) {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
