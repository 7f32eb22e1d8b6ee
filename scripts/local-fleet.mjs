import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { repository, uwf, uwfGateway } from './paths.mjs';
import { startProgram } from './program.mjs';

const DATA = join(repository, '.data');
const GATEWAY_DATA = join(DATA, 'gateway');
const PORT = '4800';
/** As `uwf-gateway` says when the port is taken. */
const EXIT_IN_USE = 4;
const LOOK_EVERY_MS = 50;
const CONNECT_MAX_MS = 15_000;

/** Where the node keeps everything. */
export const STORAGE = join(DATA, 'node');
/** The gateway's first key, for nodes and people. */
export const KEY_FILE = join(GATEWAY_DATA, 'key');
/** The name of this machine's node. */
export const NODE = 'local';
/** After Ctrl-C. */
export const EXIT_INTERRUPTED = 130;

/** Makes the node's store. The node may work in this repository when it is asked from afar. */
export function prepareStore() {
  mkdirSync(STORAGE, { recursive: true, mode: 0o700 });
  const file = join(STORAGE, 'workflow.yaml');
  if (existsSync(file)) return;
  writeFileSync(file, `config:\n  workspaceRoots:\n    - ${JSON.stringify(repository)}\n`);
}

/**
 * Starts the gateway on its usual port or, when that is taken, on another.
 *
 * @returns {Promise<{gateway: ReturnType<typeof startProgram>, url: string}>}
 */
export async function startGateway() {
  // Its key shall be the one in its file.
  const { WORKFLOW_DASHBOARD_SECRET: _, ...env } = process.env;
  for (const port of [PORT, '0']) {
    const gateway = startProgram(
      [uwfGateway, 'start', '--port', port, '--data', GATEWAY_DATA, '--json'],
      { env, cwd: repository },
    );
    const line = await Promise.race([gateway.firstLine, gateway.ended.then(() => null)]);
    if (line !== null) {
      if (port === '0') console.log(`Port ${PORT} is taken; the gateway takes another one.`);
      return { gateway, url: JSON.parse(line).url };
    }
    const { code, stderr } = await gateway.ended;
    if (code !== EXIT_IN_USE || port === '0')
      throw new Error(`the gateway did not start: ${detailOf(stderr)}`);
  }
  throw new Error('no port');
}

/** The text of the problem that a program with --json ended with; all it said when that is none. */
function detailOf(stderr) {
  try {
    return JSON.parse(stderr.trim().split('\n').at(-1)).detail;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return stderr;
  }
}

/** Connects this machine's node to the gateway. */
export function connectNode(url) {
  return startProgram(
    [uwf, 'connect', '--gateway', url, '--name', NODE, '--token-file', KEY_FILE],
    { env: environment(), cwd: repository },
  );
}

/** Asks the gateway; gives the JSON of a good answer, throws what a bad one says. */
export function createAsk(url, signal) {
  const headers = {
    authorization: `Bearer ${readFileSync(KEY_FILE, 'utf8').trim()}`,
    'content-type': 'application/json',
  };
  return async (method, path, body) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers,
      signal,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer = await response.json();
    if (!response.ok) throw new Error(`${method} ${path}: ${answer.detail}`);
    return answer;
  };
}

/** Waits until the gateway says that the node is there; throws an error when it does not come. */
export async function untilConnected(ask, node) {
  const deadline = Date.now() + CONNECT_MAX_MS;
  for (;;) {
    const { items } = await ask('GET', '/api/nodes');
    if (items.some(({ name, state }) => name === NODE && state === 'online')) return;
    const ended = await Promise.race([node.ended, sleep(LOOK_EVERY_MS, null)]);
    if (ended !== null) throw new Error(`the node did not connect:\n${ended.stderr}`);
    if (Date.now() > deadline) throw new Error('the node did not connect in time');
  }
}

/** Stops programs, the last one first, and says which threads go on. */
export async function stopAll(running) {
  if (running.length === 0) return;
  console.log('\nStopping the node and the gateway.');
  for (const program of [...running].reverse()) {
    const { stderr } = await program.stop();
    const goOn = /^.*threads? go(es)? on.*$/m.exec(stderr)?.[0];
    if (goOn !== undefined) console.log(goOn);
  }
}

/** What programs of the node are started with. */
export function environment() {
  return { ...process.env, UNCAGED_WORKFLOW_STORAGE_ROOT: STORAGE };
}

export function untilAborted(signal) {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(null);
    else signal.addEventListener('abort', () => resolve(null), { once: true });
  });
}
