import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { MachineJson } from '@uncaged/protocol/api';
import { type Service, startService, untilSaid } from './service.js';
import { until } from './until.js';
import type { Machine } from './uwf.js';

const GATEWAY = fileURLToPath(new URL('../../gateway/bin/uwf-gateway.js', import.meta.url));
const UWF = fileURLToPath(new URL('../../agent-node/bin/uwf.js', import.meta.url));

export type AskOptions = {
  /** Null: none. Undefined: the gateway's key. */
  token?: string | null;
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
};

/** A gateway in a process of its own, with a data directory of its own. */
export type TestGateway = {
  url: string;
  port: number;
  dataDir: string;
  /** Its key, which is an operator and connects nodes. */
  key: string;
  service: () => Service;
  ask: (method: string, path: string, options?: AskOptions) => Promise<Response>;
  /** The JSON of an answer that must be good. */
  json: <T = Record<string, unknown>>(
    method: string,
    path: string,
    options?: AskOptions,
  ) => Promise<T>;
  /** A token made by `uwf-gateway token`. */
  token: (role: 'node' | 'viewer' | 'operator', name: string, expires?: string) => Promise<string>;
  /** On the same port again, with the same data, after it was stopped or killed. */
  restart: () => Promise<void>;
  /** Waits until a node is in this state. */
  untilNode: (name: string, state?: MachineJson['state']) => Promise<void>;
  dispose: () => Promise<void>;
};

export async function createGateway(
  options: { limits?: object; args?: readonly string[]; env?: NodeJS.ProcessEnv } = {},
): Promise<TestGateway> {
  const base = mkdtempSync(join(tmpdir(), 'uwf-test-gateway-'));
  const dataDir = join(base, 'data');
  const env: NodeJS.ProcessEnv = {
    PATH: process.env.PATH,
    HOME: base,
    UWF_LIMITS: JSON.stringify({ probeMs: 500, drainMs: 1_000, ...options.limits }),
    ...options.env,
  };
  const run = (args: readonly string[]) => startService(GATEWAY, args, { cwd: base, env });
  const start = async (port: number) => {
    const args = ['start', '--port', String(port), '--data', dataDir, ...(options.args ?? [])];
    const started = run(args);
    const [, url] = await untilSaid(started, 'stdout', /^(https?:\/\/\S+)\n/);
    return { started, url: url! };
  };
  let { started: service, url } = await start(0);
  const port = Number(new URL(url).port);
  const key = env.WORKFLOW_DASHBOARD_SECRET ?? readFileSync(join(dataDir, 'key'), 'utf8').trim();

  const gateway: TestGateway = {
    url,
    port,
    dataDir,
    key,
    service: () => service,
    ask: (method, path, { token = key, body, headers = {}, signal } = {}) =>
      fetch(`${url}${path}`, {
        method,
        headers: {
          ...(token === null ? {} : { authorization: `Bearer ${token}` }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        ...(signal === undefined ? {} : { signal }),
      }),
    json: async <T>(method: string, path: string, asked?: AskOptions) => {
      const response = await gateway.ask(method, path, asked);
      const text = await response.text();
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
      return JSON.parse(text) as T;
    },
    token: async (role, name, expires = '1h') => {
      const args = ['token', '--role', role, '--name', name, '--expires', expires];
      const made = run([...args, '--data', dataDir]);
      const [, token] = await untilSaid(made, 'stdout', /^(\S+)\n/);
      await until('the token is made', () => made.exitCode() !== null);
      if (made.exitCode() !== 0) throw new Error(`no token: ${made.output.stderr}`);
      return token!;
    },
    restart: async () => {
      if (service.exitCode() === null) throw new Error('the gateway still runs');
      ({ started: service, url } = await start(port));
    },
    untilNode: async (name, state = 'online') => {
      await until(`${name} is ${state}`, async () => {
        const { items } = await gateway.json<{ items: MachineJson[] }>('GET', '/api/nodes');
        return items.some((machine) => machine.name === name && machine.state === state);
      });
    },
    dispose: async () => {
      await service.stop();
      rmSync(base, { recursive: true, force: true });
    },
  };
  return gateway;
}

export type ConnectOptions = {
  name: string;
  labels?: string;
  allow?: string;
  /** The gateway's key unless given. */
  token?: string;
  /** Where to dial, other than the gateway's own address: a proxy in between. */
  urls?: readonly string[];
  env?: NodeJS.ProcessEnv;
};

/** `uwf connect` of a machine, in a process of its own. */
export function startNode(
  machine: Machine,
  gateway: Pick<TestGateway, 'url' | 'key'>,
  { name, labels, allow, token = gateway.key, urls = [gateway.url], env = {} }: ConnectOptions,
): Service {
  const args = [
    'connect',
    ...urls.flatMap((url) => ['--gateway', url]),
    '--name',
    name,
    ...(labels === undefined ? [] : ['--labels', labels]),
    ...(allow === undefined ? [] : ['--allow', allow]),
  ];
  return startService(UWF, args, {
    cwd: machine.cwd,
    env: { ...machine.env, UWF_NODE_TOKEN: token, ...env },
  });
}
