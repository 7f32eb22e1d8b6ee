import { Problem } from '../../problem/index.js';
import type { GatewayRoutes } from '../routes/gateway.js';
import type { Routes } from '../routes/routes.js';
import { notTheApi } from './answer-problem.js';
import { type ClientClock, systemClock } from './clock.js';
import { type FollowOptions, followEvents } from './follow-events.js';
import { readJsonLines } from './json-lines.js';
import { CLIENT_LIMITS } from './limits.js';
import type { Client } from './operation.js';
import {
  gatewayOperations,
  type HostedRoutes,
  nodeOperations,
  type Operations,
  type RouteTable,
} from './operations.js';
import { apiBase, fillPath, pathSegment, queryText } from './request-url.js';
import { type ApiRequest, type Fetch, notReached, send } from './send.js';
import type { SseMessage } from './sse-parser.js';
import type { UploadBody } from './upload-body.js';

export type ClientOptions = {
  /** `http://127.0.0.1:7420`, with the path before `/api` if there is one. Left out in a page: where the page came from. */
  baseUrl?: string | undefined;
  /** Sent as `Authorization: Bearer`. A page has its cookie instead. A function is asked at each call. */
  token?: string | (() => string) | undefined;
  headers?: Readonly<Record<string, string>> | undefined;
  /** That of the platform unless given. */
  fetch?: Fetch | undefined;
  /** Until an answer is there, ms: of `json` all of it, of others its beginning. */
  timeoutMs?: number | undefined;
  /** The routes, to hold answers to their schemas (throws `internal`); left out they are taken as they come. */
  validate?: RouteTable | undefined;
  clock?: ClientClock | undefined;
};

export type NodeClient = Client<Routes>;
export type GatewayClient = Client<GatewayRoutes & HostedRoutes>;

/**
 * A node's API: of the node itself (`uwf serve`), or with `node` of that node through a gateway. Throws `invalid-argument`
 * for an address that is none.
 */
export function createNodeClient(
  options: ClientOptions & { node?: string | undefined } = {},
): NodeClient {
  const { node } = options;
  const below = node === undefined ? '/api' : `/api/nodes/${pathSegment('node', node)}`;
  return createClient(nodeOperations, below, options);
}

/**
 * A gateway's API, with what it hands on to whichever node has a thread. `validate` takes `{...routes, ...gatewayRoutes}`.
 * Throws `invalid-argument` for an address that is none.
 */
export function createGatewayClient(options: ClientOptions = {}): GatewayClient {
  return createClient(gatewayOperations, '/api', options);
}

/** What an operation is given, once its types are of no more use. */
type Input = {
  params?: Readonly<Record<string, unknown>>;
  query?: Readonly<Record<string, unknown>>;
  headers?: Readonly<Record<string, string | undefined>>;
  body?: unknown;
  signal?: AbortSignal;
};

function createClient<T extends RouteTable>(
  operations: Operations<T>,
  below: string,
  options: ClientOptions,
): Client<T> {
  const base = apiBase(options.baseUrl ?? '') + below;
  const client = Object.entries<string>(operations).map(([name, line]) => {
    const [method, path, type, upload = null] = line.split(' ') as [
      string,
      string,
      string,
      string?,
    ];
    const check = createCheck(name, options.validate);
    const operation = async (input: Input = {}): Promise<unknown> => {
      const address = fillPath(path, input.params ?? {}).slice('/api'.length);
      const url = `${base}${address}${queryText(input.query ?? {})}`;
      if (type === 'events') return follow(url, input, options, check);
      return ask({ method, type, url, upload }, input, options, check);
    };
    return [name, operation] as const;
  });
  // The compiler holds the table of operations to the routes; what each does follows from its line alone.
  return Object.fromEntries(client) as unknown as Client<T>;
}

function createCheck(name: string, table: ClientOptions['validate']): Check {
  const schema = table?.[name]?.response.schema;
  return (value) => {
    const parsed = schema?.safeParse(value);
    if (parsed === undefined) return value;
    if (parsed.success) return parsed.data;
    throw new Problem('internal', `The answer of ${name} is not what the API says it is.`, {
      details: { errors: parsed.error.issues },
    });
  };
}

type Check = (value: unknown) => unknown;

type Asked = {
  method: string;
  type: string;
  url: string;
  /** Media type of a body that is no JSON. */
  upload: string | null;
};

function ask(
  { method, type, url, upload }: Asked,
  input: Input,
  options: ClientOptions,
  check: Check,
): Promise<unknown> {
  const what = `${method} ${new URL(url).pathname}`;
  const body = bodyOf(method, upload, input.body);
  const headers = headersOf(options, input.headers);
  if (type === 'json') headers.set('accept', 'application/json');
  if (body !== null) headers.set('content-type', upload ?? 'application/json');
  const { fetch = globalThis.fetch, clock = systemClock } = options;
  const { timeoutMs = upload === null ? CLIENT_LIMITS.answerMs : CLIENT_LIMITS.uploadMs } = options;
  const request: ApiRequest = { what, url, method, headers, body, signal: input.signal };
  return send(request, { fetch, clock, timeoutMs }, async (response): Promise<unknown> => {
    if (type === 'content') return response;
    if (type === 'lines') return lines(response, request, check);
    return check(await readJson(response, what));
  });
}

function bodyOf(method: string, upload: string | null, body: unknown): ApiRequest['body'] {
  if (method !== 'POST') return null;
  return upload === null ? JSON.stringify(body ?? {}) : (body as UploadBody);
}

async function readJson(response: Response, what: string): Promise<unknown> {
  if (!/\bjson\b/i.test(response.headers.get('content-type') ?? ''))
    throw await notTheApi(response, what);
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Problem('internal', `${what} was answered with broken JSON. Ask again.`, { cause });
  }
}

async function* lines(response: Response, { what, url, signal }: ApiRequest, check: Check) {
  if (response.body === null) return;
  try {
    for await (const line of readJsonLines(response.body, what)) yield check(line);
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    throw error instanceof Problem ? error : notReached(what, url, error);
  }
}

/** Events with data of their own, beside those that carry an `Event`. */
const OTHER_EVENTS = new Set(['snapshot', 'node.up', 'node.down', 'live', 'resync', 'done']);

function follow(url: string, input: Input, options: ClientOptions, check: Check) {
  return followEvents({
    clock: options.clock,
    fetch: options.fetch,
    ...(input as unknown as Pick<FollowOptions<unknown>, 'onEvent' | 'clock'>),
    url,
    headers: () => headersOf(options, input.headers),
    decode: ({ event, id, data }: SseMessage) => {
      const value = parseData(data, event);
      return { event, id, data: OTHER_EVENTS.has(event) ? value : check(value) };
    },
  });
}

function parseData(data: string, event: string): unknown {
  try {
    return JSON.parse(data);
  } catch (cause) {
    throw new Problem(
      'bad-frame',
      `The stream carried an event ${JSON.stringify(event)} that is not JSON. The versions do not fit, or something changes it on the way.`,
      { cause },
    );
  }
}

function headersOf({ headers, token }: ClientOptions, own: Input['headers']): Headers {
  const all = new Headers(headers);
  if (token !== undefined) setHeader(all, 'authorization', bearer(token));
  for (const [name, value] of Object.entries(own ?? {}))
    if (value !== undefined) setHeader(all, name, value);
  return all;
}

function bearer(token: string | (() => string)): string {
  return `Bearer ${typeof token === 'function' ? token() : token}`;
}

/** Does not say the value: it may be a secret. */
function setHeader(headers: Headers, name: string, value: string): void {
  try {
    headers.set(name, value);
  } catch {
    throw new Problem(
      'invalid-argument',
      `The header ${name} holds a character that no header can. Give it without line breaks, in ASCII.`,
    );
  }
}
