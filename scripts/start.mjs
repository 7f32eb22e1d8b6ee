// `npm start`: installs, builds, starts a gateway and this machine's node connected to it, runs the built-in workflow `demo`
// on this repository through the gateway, and stays until Ctrl-C, which stops all of it.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ensureBuilt } from './build.mjs';
import { ensureInstalled } from './install.mjs';
import { repository, uwf, uwfGateway } from './paths.mjs';
import { startProgram } from './program.mjs';

const DATA = join(repository, '.data');
const STORAGE = join(DATA, 'node');
const GATEWAY_DATA = join(DATA, 'gateway');
const KEY_FILE = join(GATEWAY_DATA, 'key');
const NODE = 'local';
const PORT = '4800';
/** As `uwf-gateway` says when the port is taken. */
const EXIT_IN_USE = 4;
const EXIT_INTERRUPTED = 130;
const LOOK_EVERY_MS = 50;
const CONNECT_MAX_MS = 15_000;

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
    const node = startProgram(
      [uwf, 'connect', '--gateway', url, '--name', NODE, '--token-file', KEY_FILE],
      { env: environment(), cwd: repository },
    );
    running.push(node);
    const ask = createAsk(url);
    await untilConnected(ask, node);
    const thread = await startDemo(ask);
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

/** The node may work in this repository when it is asked from afar. */
function prepareStore() {
  mkdirSync(STORAGE, { recursive: true, mode: 0o700 });
  const file = join(STORAGE, 'workflow.yaml');
  if (existsSync(file)) return;
  writeFileSync(file, `config:\n  workspaceRoots:\n    - ${JSON.stringify(repository)}\n`);
}

async function startGateway() {
  for (const port of [PORT, '0']) {
    const gateway = startProgram(
      [uwfGateway, 'start', '--port', port, '--data', GATEWAY_DATA, '--json'],
      { env: process.env, cwd: repository },
    );
    const line = await Promise.race([gateway.firstLine, gateway.ended.then(() => null)]);
    if (line !== null) return { gateway, url: JSON.parse(line).url };
    const { code, stderr } = await gateway.ended;
    if (code !== EXIT_IN_USE || port === '0')
      throw new Error(`the gateway did not start:\n${stderr}`);
    console.log(`Port ${PORT} is taken; the gateway takes another one.`);
  }
  throw new Error('no port');
}

/** Asks the gateway; gives the JSON of a good answer, throws what a bad one says. */
function createAsk(url) {
  const headers = {
    authorization: `Bearer ${readFileSync(KEY_FILE, 'utf8').trim()}`,
    'content-type': 'application/json',
  };
  return async (method, path, body) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers,
      signal: stopped.signal,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer = await response.json();
    if (!response.ok) throw new Error(`${method} ${path}: ${answer.detail}`);
    return answer;
  };
}

async function untilConnected(ask, node) {
  const deadline = Date.now() + CONNECT_MAX_MS;
  for (;;) {
    const { items } = await ask('GET', '/api/nodes');
    if (items.some(({ name, state }) => name === NODE && state === 'online')) return;
    const ended = await Promise.race([node.ended, sleep(LOOK_EVERY_MS, null)]);
    if (ended !== null) throw new Error(`the node did not connect:\n${ended.stderr}`);
    if (Date.now() > deadline) throw new Error('the node did not connect in time');
  }
}

async function startDemo(ask) {
  console.log('\nA gateway runs, and this machine is connected to it as the node `local`.');
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
The gateway is ${url}; its key is in ${shown(KEY_FILE)}. Ctrl-C stops all of it. In another terminal:
  export UNCAGED_WORKFLOW_STORAGE_ROOT=${quoted(STORAGE)}
  npx uwf thread show ${thread}   # the thread: its steps and how it ended
  npx uwf run demo --wait                          # once more, without the gateway
  KEY="Authorization: Bearer $(cat ${quoted(KEY_FILE)})"
  curl -H "$KEY" ${url}/api/nodes                  # every machine
  curl -H "$KEY" ${url}/api/threads                # threads of every machine
  curl -H "$KEY" -N ${url}/api/events              # what happens, as it happens
  curl -H "$KEY" ${url}/api/threads/${thread}/steps
Another machine, or another store on this one:
  UNCAGED_WORKFLOW_STORAGE_ROOT=/tmp/second npx uwf connect --gateway ${url} --name second --token-file ${quoted(KEY_FILE)}`);
}

async function stopAll(running) {
  if (running.length === 0) return;
  console.log('\nStopping the node and the gateway.');
  for (const program of [...running].reverse()) {
    const { stderr } = await program.stop();
    const goOn = /^.*threads? go(es)? on.*$/m.exec(stderr)?.[0];
    if (goOn !== undefined) console.log(goOn);
  }
}

function environment() {
  return { ...process.env, UNCAGED_WORKFLOW_STORAGE_ROOT: STORAGE };
}

function untilAborted(signal) {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(null);
    else signal.addEventListener('abort', () => resolve(null), { once: true });
  });
}

function shown(path) {
  return path.startsWith(`${repository}/`) ? path.slice(repository.length + 1) : path;
}

function quoted(path) {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
