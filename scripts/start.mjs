// `npm start`: installs, builds and runs the built-in workflow `demo` on this repository, live on this terminal.
import { spawn, spawnSync } from 'node:child_process';
import { join, relative } from 'node:path';
import { ensureBuilt } from './build.mjs';
import { ensureInstalled } from './install.mjs';
import { repository, uwf } from './paths.mjs';

const STORAGE = join(repository, '.data', 'node');
const ENVIRONMENT = { ...process.env, UNCAGED_WORKFLOW_STORAGE_ROOT: STORAGE };

await ensureInstalled();
await ensureBuilt();
process.exitCode = await watch(startDemo());

/** @returns {string} the thread's id */
function startDemo() {
  console.log('\nThe workflow `demo` looks at this repository. It reads and changes nothing.\n');
  const started = spawnSync(process.execPath, [uwf, 'run', 'demo', '--json'], {
    cwd: repository,
    env: ENVIRONMENT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (started.status !== 0) process.exit(started.status ?? 1);
  return JSON.parse(started.stdout).id;
}

/** Shows the thread until it ends. Ctrl-C ends the thread too: what this command started, it stops. */
async function watch(thread) {
  const live = spawn(process.execPath, [uwf, 'live', thread], {
    cwd: repository,
    env: ENVIRONMENT,
    stdio: 'inherit',
  });
  let stopped = false;
  const stop = () => {
    if (stopped) return;
    stopped = true;
    spawnSync(process.execPath, [uwf, 'thread', 'kill', thread], {
      cwd: repository,
      env: ENVIRONMENT,
      stdio: 'inherit',
    });
    live.kill('SIGTERM');
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop);
  const code = await new Promise((resolve) => live.on('close', (status) => resolve(status ?? 1)));
  sayHowToGoOn(thread);
  return stopped ? 130 : code;
}

function sayHowToGoOn(thread) {
  const here = relative(process.cwd(), STORAGE) || '.';
  const storage = here.includes(' ') ? `'${here}'` : here;
  const commands = [
    [`thread show ${thread}`, 'the thread: its steps and how it ended'],
    [`step list ${thread}`, 'one line per step'],
    [`step show ${thread} 1`, 'what a step answered'],
    ['thread list', 'every thread of this store'],
    ['workflow show demo', 'the workflow itself: roles and edges'],
    ['run demo --wait', 'once more'],
  ];
  const width = Math.max(...commands.map(([command]) => command.length));
  console.log('\nLook further:');
  console.log(`  export UNCAGED_WORKFLOW_STORAGE_ROOT=${storage}`);
  for (const [command, what] of commands)
    console.log(`  npx uwf ${command.padEnd(width)}   # ${what}`);
}
