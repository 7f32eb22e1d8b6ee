import type { IncomingMessage, ServerResponse } from 'node:http';
import { checkRawPath, type RequestOrigin } from '@uncaged/protocol/http';
import { isProblem, Problem } from '@uncaged/protocol/problem';
import type { Audit } from '../audit/index.js';
import type { Auth } from '../auth/index.js';
import type { Directory } from '../directory/index.js';
import type { GatewayLimits } from '../limits.js';
import type { Links } from '../links/index.js';
import type { Log } from '../log.js';
import { forward, parseTarget, requireLink, type ThreadHosts } from '../proxy/index.js';
import { checkAccess, isReading } from './access.js';
import { clientAddress } from './client-address.js';
import type { Metrics } from './metrics.js';
import type { OpenAnswers } from './open-answers.js';
import type { Asker, AuditNote } from './own-routes.js';
import { sendProblem, toProblem } from './send-problem.js';

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const READING = new Set(['GET', 'HEAD']);
const NOT_READY_STATUS = 503;
const HOST = 'host';

export type HandlerInput = {
  checkHost: (origin: RequestOrigin) => void;
  auth: Auth;
  audit: Audit;
  links: Links;
  directory: Directory;
  threadHosts: ThreadHosts;
  metrics: Metrics;
  openAnswers: OpenAnswers;
  /** What the gateway answers itself, under /api. */
  own: (
    request: IncomingMessage,
    response: ServerResponse,
    asker: Asker,
    address: string,
    note: AuditNote,
  ) => unknown;
  /** The dashboard's files. */
  page: (request: IncomingMessage, response: ServerResponse) => unknown;
  limits: GatewayLimits;
  log: Log;
  trustProxy: boolean;
  /** The gateway is going: no new work should come here. */
  isClosing: () => boolean;
};

/**
 * One request, from its raw form to whoever answers it. In this order: Host and Origin, the raw path, who asks, what that one
 * may do, where it goes.
 */
export function createRequestHandler(
  input: HandlerInput,
): (request: IncomingMessage, response: ServerResponse) => void {
  const { log } = input;
  return (request, response) => {
    handle(input, request, response).catch((error: unknown) => {
      const what = `${request.method} ${pathOf(request.url ?? '').slice(0, 200)}`;
      sendProblem(response, toProblem(error, log, what));
    });
  };
}

async function handle(
  input: HandlerInput,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { isClosing, metrics } = input;
  const method = request.method ?? '';
  const target = request.url ?? '';
  checkOneHost(request);
  input.checkHost({
    host: request.headers.host,
    origin: request.headers.origin,
    localAddress: request.socket.localAddress,
  });
  checkRawPath(target);
  const path = pathOf(target);
  if (path === '/metrics' || path.startsWith('/api/')) {
    if (!METHODS.has(method)) throw noRoute(method, path);
    const address = clientAddress(request, input.trustProxy);
    const asker = isOpen(method, path) ? null : await ask(input, request, address, path);
    if (path === '/metrics') return sendMetrics(metrics, response);
    return answer(input, { request, response, asker, address, path });
  }
  if (!READING.has(method)) throw noRoute(method, path);
  if (path === '/healthz') return sendText(response, 200, 'ok');
  if (path === '/readyz')
    return isClosing()
      ? sendText(response, NOT_READY_STATUS, 'closing')
      : sendText(response, 200, 'ready');
  await input.page(request, response);
}

/** By the gateway itself, or by the node that it is for. */
async function answer(input: HandlerInput, asked: Asked): Promise<void> {
  const { request, response, asker, address, path } = asked;
  const { metrics } = input;
  const place = parseTarget(request.url ?? '');
  const note: AuditNote = {
    node: place.type === 'node' ? place.name : null,
    thread: place.type === 'thread' ? place.id : null,
  };
  if (asker !== null && !isReading(request.method ?? '', path))
    recordWhenAnswered(input, { ...asked, asker, note });
  // Comes once; to say so takes longer than to listen.
  response.on('close', () =>
    metrics.answered(place.type === 'own' ? 'own' : 'node', response.statusCode),
  );
  if (asker === null || place.type === 'own') {
    limitBody(request, response, asker === null ? input.limits.headersMs : input.limits.bodyMs);
    response.setHeader('x-content-type-options', 'nosniff');
    await input.own(request, response, asker, address, note);
    return;
  }
  const link =
    place.type === 'node' ? requireLink(input, place.name) : await input.threadHosts.find(place.id);
  input.openAnswers.add(response, asker.identity);
  await forward({
    request,
    response,
    link,
    path: place.path,
    principal: asker.principal,
    limits: input.limits,
    relink: () => input.links.get(link.name),
    ...(place.type === 'thread'
      ? {
          onStatus: (status: number) => input.threadHosts.answered(place.id, link.name, status),
        }
      : {}),
  });
}

/** Of a body that the gateway reads itself; those for nodes are watched on the link. */
function limitBody(request: IncomingMessage, response: ServerResponse, limitMs: number): void {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  if (encoding === undefined && !(Number(length) > 0)) return;
  const timer = setTimeout(() => {
    if (!request.complete) request.destroy();
  }, limitMs);
  response.once('close', () => clearTimeout(timer));
}

/** Node takes the first of several; a proxy in front may have looked at another (RFC 9112 3.2). */
function checkOneHost({ rawHeaders }: IncomingMessage): void {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!;
    if (name.length === HOST.length && name.toLowerCase() === HOST) hosts += 1;
  }
  if (hosts > 1)
    throw new Problem('invalid-argument', 'The request has several Host headers; send one.');
}

/** A token is shown here, or a cookie given back. */
function isOpen(method: string, path: string): boolean {
  return path === '/api/session' && (method === 'POST' || method === 'DELETE');
}

async function ask(
  { auth, audit }: HandlerInput,
  request: IncomingMessage,
  address: string,
  path: string,
): Promise<NonNullable<Asker>> {
  const found = auth.identify(request, address);
  const identity = found instanceof Promise ? await found : found;
  try {
    return { identity, principal: checkAccess(identity, request, path) };
  } catch (error) {
    if (isProblem(error) && !isReading(request.method ?? '', path)) {
      const { role, name } = identity;
      const action = `${request.method} ${path}`;
      audit.record({ role, name, address, action, node: null, thread: null, status: error.status });
    }
    throw error;
  }
}

type Asked = {
  request: IncomingMessage;
  response: ServerResponse;
  asker: Asker;
  address: string;
  path: string;
};

type Change = Asked & { asker: NonNullable<Asker>; note: AuditNote };

/** Also when nobody waits for the answer any more: what was asked for may have happened. */
function recordWhenAnswered(
  { audit }: HandlerInput,
  { request, response, asker, address, path, note }: Change,
): void {
  response.once('close', () =>
    audit.record({
      ...asker.principal,
      address,
      action: `${request.method} ${path}`,
      ...note,
      status: response.headersSent ? response.statusCode : null,
    }),
  );
}

async function sendMetrics(metrics: Metrics, response: ServerResponse): Promise<void> {
  const { type, body } = await metrics.text();
  sendText(response, 200, body, type);
}

function noRoute(method: string, path: string): Problem {
  return new Problem('route-not-found', `There is no ${method} ${path.slice(0, 200)}.`);
}

function sendText(
  response: ServerResponse,
  status: number,
  text: string,
  type = 'text/plain; charset=utf-8',
): void {
  response.writeHead(status, {
    'content-type': type,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  response.end(response.req.method === 'HEAD' ? undefined : text);
}

function pathOf(target: string): string {
  const end = target.search(/[?#]/);
  return end < 0 ? target : target.slice(0, end);
}
