// `npm run dev`: a gateway and this machine's node connected to it, as `npm start` has them, and the dashboard from its sources:
// a change of them is on the page at once. A change of the programs is there after the next `npm run dev`. Ctrl-C stops all.
import { join } from 'node:path';
import { ensureBuilt } from './build.mjs';
import { ensureInstalled } from './install.mjs';
import {
  connectNode,
  createAsk,
  EXIT_INTERRUPTED,
  KEY_FILE,
  prepareStore,
  startGateway,
  stopAll,
  untilAborted,
  untilConnected,
} from './local-fleet.mjs';
import { repository } from './paths.mjs';
import { startProgram } from './program.mjs';

const VITE = join(repository, 'node_modules', 'vite', 'bin', 'vite.js');

const stopped = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => stopped.abort());

await ensureInstalled();
await ensureBuilt();
process.exitCode = stopped.signal.aborted ? EXIT_INTERRUPTED : await runAll();

/** @returns {Promise<number>} exit code: 130 after Ctrl-C, 1 when something of it ended by itself or did not start */
async function runAll() {
  const running = [];
  try {
    prepareStore();
    const { gateway, url } = await startGateway();
    running.push(gateway);
    const node = connectNode(url);
    running.push(node);
    await untilConnected(createAsk(url, stopped.signal), node);
    console.log(`
A gateway runs at ${url} with the page as it was built, and this machine is its node \`local\`.
The page from its sources, with reload, is at the address below. Log in with the key: cat ${KEY_FILE}
Programs (gateway, node) are built when this starts; after a change of them start it again. Ctrl-C stops all.`);
    // It says its address itself, and takes the next port when its own is taken.
    const page = startProgram([VITE, '--host', '127.0.0.1', '--clearScreen', 'false'], {
      cwd: join(repository, 'dashboard'),
      env: { ...process.env, UWF_DEV_GATEWAY: url },
      show: true,
    });
    running.push(page);
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
