import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { type IncomingHttpHeaders, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { pretendWorker } from '../api/test-api.js';
import { openStore, type Store } from '../store/index.js';
import { type RunningServer, type ServingInput, startServing } from './start-serving.js';

/** What the tests of `serve` build on: a real server on a free port, asked over real sockets. */

export const TOKEN = 'a-token-of-this-test';

export type Asked = { status: number; headers: IncomingHttpHeaders; text: string };

export type TestServer = {
  server: RunningServer;
  /** Another process, as far as the server can tell. */
  store: Store;
  root: string;
  port: number;
  log: string[];
  /** With the right token unless `headers` say otherwise; a body is JSON unless it is a string. */
  ask: (
    method: string,
    path: string,
    options?: { headers?: Record<string, string>; body?: unknown; token?: string | null },
  ) => Promise<Asked>;
  json: (path: string) => Promise<Record<string, unknown>>;
};

export async function openTestServer(options: Partial<ServingInput> = {}): Promise<TestServer> {
  const root = options.root ?? realpathSync(mkdtempSync(join(tmpdir(), 'uwf-serve-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true, maxRetries: 20 }));
  const store = await openStore(root, { clock: Date.now });
  onTestFinished(() => store.close());
  // Threads stay queued.
  pretendWorker(store);
  const log: string[] = [];
  const server = await startServing({
    root,
    host: '127.0.0.1',
    port: 0,
    name: 'me',
    labels: { os: 'linux' },
    env: { UWF_SERVE_TOKEN: TOKEN },
    clock: Date.now,
    log: (tag, text) => log.push(`${tag} ${text}`),
    program: { file: '/dev/null', env: {} },
    ...options,
  });
  onTestFinished(() => server.close());
  const port = Number(new URL(server.url).port);
  const ask: TestServer['ask'] = (method, path, { headers = {}, body, token = TOKEN } = {}) =>
    askServer(port, method, path, {
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined
        ? {}
        : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
  const json: TestServer['json'] = async (path) => {
    const { status, text } = await ask('GET', path);
    if (status !== 200) throw new Error(`GET ${path}: ${status} ${text}`);
    return JSON.parse(text) as Record<string, unknown>;
  };
  return { server, store, root, port, log, ask, json };
}

/** The path goes out as it is given. */
function askServer(
  port: number,
  method: string,
  path: string,
  { headers, body }: { headers: Record<string, string>; body?: string },
): Promise<Asked> {
  return new Promise((resolve, reject) => {
    const asked = request(
      { host: '127.0.0.1', port, method, path, headers, agent: false },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text: Buffer.concat(chunks).toString(),
          }),
        );
      },
    );
    asked.on('error', reject);
    asked.end(body);
  });
}

/** The problem's code; the answer must be one. */
export function codeOf({ headers, text }: Asked): string {
  if (headers['content-type'] !== 'application/problem+json')
    throw new Error(`no problem: ${headers['content-type']} ${text}`);
  return (JSON.parse(text) as { code: string }).code;
}
