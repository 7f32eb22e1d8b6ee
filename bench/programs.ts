import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { uwf, withStorage } from './command.js';
import { KEY } from './key.js';

const here = (name: string) => fileURLToPath(new URL(`./${name}`, import.meta.url));
const GATEWAY = fileURLToPath(new URL('../../../gateway/bin/uwf-gateway.js', import.meta.url));
const ALLOW = 'read,control,run,publish';

/** Processes that were started for a figure, ended with it. */
export type Place = {
  port: number;
  headers: Record<string, string>;
  /** Before the path of a node's API: `/api`, or `/api/nodes/bench`. */
  prefix: string;
  /** By what they do. */
  pids: Record<string, number>;
  end: () => Promise<void>;
};

/** A gateway and a node connected to it, the store in `folder`. */
export async function startLinked(folder: string): Promise<Place> {
  const env = { ...withStorage(join(folder, 'storage')), UWF_NODE_TOKEN: KEY };
  const gateway = await startGateway(join(folder, 'gateway'));
  const url = gateway.said;
  const [, ...connect] = uwf('connect', '--gateway', url, '--name', 'bench', '--allow', ALLOW);
  const node = await start(connect, env, 'stderr');
  const port = Number(new URL(url).port);
  const headers = { authorization: `Bearer ${KEY}` };
  await untilAnswered(port, '/api/nodes/bench/node', headers);
  return {
    port,
    headers,
    prefix: '/api/nodes/bench',
    pids: { gateway: gateway.child.pid!, node: node.child.pid! },
    end: () => endAll([node.child, gateway.child]),
  };
}

/** A gateway with its key in the environment; it says its URL. */
export function startGateway(dataDir: string): Promise<Started> {
  const env = { ...process.env, WORKFLOW_DASHBOARD_SECRET: KEY };
  return start([GATEWAY, 'start', '--port', '0', '--data', dataDir], env);
}

/** The node's app behind a plain reverse proxy; `direct` is the app itself. */
export async function startProxied(folder: string): Promise<Place & { direct: number }> {
  const env = process.env;
  const app = await start([here('plain-node.program.mjs'), join(folder, 'storage')], env);
  const proxy = await start([here('plain-proxy.program.mjs'), app.said], env);
  return {
    port: Number(proxy.said),
    direct: Number(app.said),
    headers: {},
    prefix: '/api',
    pids: { proxy: proxy.child.pid!, node: app.child.pid! },
    end: () => endAll([proxy.child, app.child]),
  };
}

/** The node's app alone. */
export async function startDirect(folder: string): Promise<Place> {
  const app = await start([here('plain-node.program.mjs'), join(folder, 'storage')], process.env);
  const end = () => endAll([app.child]);
  return {
    port: Number(app.said),
    headers: {},
    prefix: '/api',
    pids: { node: app.child.pid! },
    end,
  };
}

/** Memory in use by a process now, bytes (Linux). */
export function residentBytes(pid: number): number {
  const kib = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kib) * 1024;
}

export type Started = { child: ChildProcess; said: string };

/** Starts a program with this Node and waits for its first line. */
export async function start(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  stream: 'stdout' | 'stderr' = 'stdout',
): Promise<Started> {
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  const said = await new Promise<string>((resolve, reject) => {
    child[stream].on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const end = text.indexOf('\n');
      if (end >= 0) resolve(text.slice(0, end));
    });
    child.on('close', (code) =>
      reject(new Error(`${args.join(' ')} ended with ${code}: ${errors}`)),
    );
  });
  child.stdout.resume();
  return { child, said };
}

export async function endAll(children: readonly ChildProcess[]): Promise<void> {
  for (const child of children) {
    const closed = new Promise((resolve) => child.once('close', resolve));
    child.kill('SIGTERM');
    await closed;
  }
}

async function untilAnswered(
  port: number,
  path: string,
  headers: Record<string, string>,
): Promise<void> {
  const deadline = performance.now() + 20_000;
  for (;;) {
    const { ok } = await fetch(`http://127.0.0.1:${port}${path}`, { headers });
    if (ok) return;
    if (performance.now() > deadline) throw new Error(`${path} did not answer in 20 s`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
