// `npm start`: installs, builds, starts a gateway and this machine's node connected to it, runs the built-in workflow `demo`
// on this repository through the gateway, and stays until Ctrl-C, which stops all of it.
import { ensureBuilt } from './build.mjs';
import { ensureInstalled } from './install.mjs';
import {
  connectNode,
  createAsk,
  EXIT_INTERRUPTED,
  environment,
  KEY_FILE,
  NODE,
  prepareStore,
  STORAGE,
  startGateway,
  stopAll,
  untilAborted,
  untilConnected,
} from './local-fleet.mjs';
import { repository, uwf } from './paths.mjs';
import { startProgram } from './program.mjs';

const stopped = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => stopped.abort());

await ensureInstalled();
await ensureBuilt();
if (!stopped.signal.aborted) process.exitCode = await runAll();
else process.exitCode = EXIT_INTERRUPTED;

/** @returns {Promise<number>} exit code: 130 after Ctrl-C, 1 when something of it ended by itself or did not start */
async function runAll() {
  const running = [];
  try {
    prepareStore();
    const { gateway, url } = await startGateway();
    running.push(gateway);
    const node = connectNode(url);
    running.push(node);
    const ask = createAsk(url, stopped.signal);
    await untilConnected(ask, node);
    const thread = await startDemo(ask, url);
    const shown = startProgram([uwf, 'live', thread], { env: environment(), show: true });
    await Promise.race([shown.ended, untilAborted(stopped.signal)]);
    if (stopped.signal.aborted) {
      await shown.stop();
      await startProgram([uwf, 'thread', 'kill', thread], { env: environment() }).ended;
      return EXIT_INTERRUPTED;
    }
    sayHowToLook(url, thread);
    const first = await Promise.race([
      untilAborted(stopped.signal),
      ...running.map(({ ended }) => ended),
    ]);
    if (stopped.signal.aborted) return EXIT_INTERRUPTED;
    console.error(
      `\nerror: a part of it ended with ${first.code}; stopping the rest.\n${first.stderr}`,
    );
    return 1;
  } catch (error) {
    if (stopped.signal.aborted) return EXIT_INTERRUPTED;
    console.error(`\nerror: ${error.message}`);
    return 1;
  } finally {
    await stopAll(running);
  }
}

async function startDemo(ask, url) {
  console.log('\nA gateway runs, and this machine is connected to it as the node `local`.');
  console.log(`Open ${url} in a browser and log in with the key: cat ${quoted(shown(KEY_FILE))}\n`);
  console.log(
    'Through the gateway, the workflow `demo` looks at this repository. It only reads.\n',
  );
  const { threadId } = await ask('POST', '/api/threads', {
    node: NODE,
    workflow: 'demo',
    workspace: repository,
  });
  return threadId;
}

function sayHowToLook(url, thread) {
  console.log(`
The thread as a page: ${url}/nodes/${NODE}/threads/${thread}
Log in with the key: cat ${quoted(shown(KEY_FILE))}

In another terminal:
  export UNCAGED_WORKFLOW_STORAGE_ROOT=${quoted(STORAGE)}
  npx uwf thread show ${thread}   # the thread: its steps and how it ended
  npx uwf run demo --wait                          # once more, without the gateway
  KEY="Authorization: Bearer $(cat ${quoted(KEY_FILE)})"
  curl -H "$KEY" ${url}/api/nodes                  # every machine
  curl -H "$KEY" ${url}/api/threads                # threads of every machine
  curl -H "$KEY" -N ${url}/api/events              # what happens, as it happens
  curl -H "$KEY" ${url}/api/threads/${thread}/steps
Another machine, or another store on this one:
  UNCAGED_WORKFLOW_STORAGE_ROOT=/tmp/second npx uwf connect --gateway ${url} --name second --token-file ${quoted(KEY_FILE)}

Ctrl-C stops all of it.`);
}

function shown(path) {
  return path.startsWith(`${repository}/`) ? path.slice(repository.length + 1) : path;
}

function quoted(path) {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
