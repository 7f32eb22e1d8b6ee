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
  /** Before the path of a node's API: `/api`, or `/api/nodes/node`. */
  prefix: string;
  /** By what they do. */
  pids: Record<string, number>;
  end: () => Promise<void>;
};

/** A gateway and a node connected to it, the store in `folder`. */
export async function startLinked(folder: string): Promise<Place> {
  const fleet = await startFleet(join(folder, 'gateway'), { node: join(folder, 'storage') });
  return { ...fleet, prefix: '/api/nodes/node' };
}

/** A gateway and a node for each storage root, by name. */
export async function startFleet(
  dataDir: string,
  storages: Readonly<Record<string, string>>,
): Promise<Place> {
  const gateway = await startGateway(dataDir);
  const children = [gateway.child];
  const pids: Record<string, number> = { gateway: gateway.child.pid! };
  const port = Number(new URL(gateway.said).port);
  const headers = { authorization: `Bearer ${KEY}` };
  for (const [name, storage] of Object.entries(storages)) {
    const env = { ...withStorage(storage), UWF_NODE_TOKEN: KEY };
    const to = ['--gateway', gateway.said, '--name', name, '--allow', ALLOW];
    const [, ...connect] = uwf('connect', ...to);
    const { child } = await start(connect, env, 'stderr');
    children.unshift(child);
    pids[name] = child.pid!;
    await untilAnswered(port, `/api/nodes/${name}/node`, headers);
  }
  return { port, headers, prefix: '/api', pids, end: () => endAll(children) };
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
