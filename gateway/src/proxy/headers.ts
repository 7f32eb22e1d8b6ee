import { PACK_MEDIA_TYPE } from '@uncaged/protocol/api';
import { formatPrincipal, PRINCIPAL_HEADER, type Principal } from '@uncaged/protocol/http';
import type { LinkHeaders } from '@uncaged/protocol/link';
import { Problem } from '@uncaged/protocol/problem';

/** Of one connection (RFC 9110 7.6.1): they mean nothing on the next one. */
const HOP_BY_HOP = [
  'connection',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authentication-info',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

/**
 * Kept from nodes: what opens the gateway to whoever has it, and what only this side can know. All of `x-uwf-*` and
 * `x-forwarded-*` besides.
 */
const KEPT_FROM_NODES: ReadonlySet<string> = new Set([
  ...HOP_BY_HOP,
  'authorization',
  'cookie',
  'cookie2',
  'expect',
  'forwarded',
  'host',
  'via',
  'x-real-ip',
]);

/**
 * Kept from browsers: what a node would say to the whole origin, which is the gateway's and every other node's, or where it
 * would lead somebody's next request. `content-length` is counted here and said by the gateway.
 */
const KEPT_FROM_CLIENTS: ReadonlySet<string> = new Set([
  ...HOP_BY_HOP,
  'access-control-allow-credentials',
  'access-control-allow-headers',
  'access-control-allow-methods',
  'access-control-allow-origin',
  'access-control-expose-headers',
  'access-control-max-age',
  'alt-svc',
  'clear-site-data',
  'content-length',
  'content-security-policy',
  'content-security-policy-report-only',
  'link',
  'location',
  'nel',
  'origin-agent-cluster',
  'public-key-pins',
  'public-key-pins-report-only',
  'refresh',
  'report-to',
  'reporting-endpoints',
  'service-worker-allowed',
  'set-cookie',
  'set-cookie2',
  'set-login',
  'sourcemap',
  'strict-transport-security',
  'www-authenticate',
  'x-content-type-options',
  'x-sourcemap',
  'x-uwf-node',
]);

/** Types that no browser runs or renders as a page once it must not sniff. */
const INERT: ReadonlySet<string> = new Set([
  'application/json',
  'application/problem+json',
  'application/octet-stream',
  PACK_MEDIA_TYPE,
  'application/x-ndjson',
  'text/event-stream',
  'text/plain',
]);

/** Whatever a node's page holds, it gets an origin of its own and may load nothing. */
const SANDBOX = "sandbox; default-src 'none'";
const LENGTH = /^\d{1,15}$/;

export type RequestParts = {
  /** As they go to the node. */
  headers: LinkHeaders;
  /** A body follows, be it empty. */
  hasBody: boolean;
  /** What it says to have, bytes; null: it comes in chunks. */
  declaredBytes: number | null;
};

/** A client's headers (`rawHeaders`: name, value, …) as a node gets them: lower case, values and repetitions as they came. */
export function requestParts(raw: readonly string[], principal: Principal): RequestParts {
  const headers: LinkHeaders = [];
  let named: Set<string> | null = null;
  let chunked = false;
  let declaredBytes: number | null = null;
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = raw[at]!.toLowerCase();
    const value = raw[at + 1]!;
    if (name === 'content-length') declaredBytes = Number(value);
    else if (name === 'transfer-encoding') chunked = true;
    else if (name === 'connection') named = addNamed(named, value);
    if (KEPT_FROM_NODES.has(name) || name.startsWith('x-uwf-') || name.startsWith('x-forwarded-'))
      continue;
    headers.push([name, value]);
  }
  const kept = named === null ? headers : headers.filter(([name]) => !named.has(name));
  kept.push([PRINCIPAL_HEADER, formatPrincipal(principal)]);
  return {
    headers: kept,
    hasBody: chunked || (declaredBytes !== null && declaredBytes > 0),
    declaredBytes: chunked ? null : declaredBytes,
  };
}

/** `Connection` may name further headers that are for this connection only. */
function addNamed(named: Set<string> | null, value: string): Set<string> | null {
  const text = value.toLowerCase();
  if (text === 'keep-alive' || text === 'close') return named;
  const names = named ?? new Set<string>();
  for (const name of text.split(',')) names.add(name.trim());
  return names;
}

export type AnswerParts = {
  /** Name, value, …, as `writeHead` takes them; without `content-length`. */
  flat: string[];
  /** What the node says the body has, bytes; null: it does not. */
  declaredBytes: number | null;
};

/** A node's headers as its client gets them. Throws node-failed when the length they give is none. */
export function answerParts(headers: LinkHeaders, node: string): AnswerParts {
  const flat: string[] = [];
  let named: Set<string> | null = null;
  let declaredBytes: number | null = null;
  let types = 0;
  let inert = false;
  for (const [name, value] of headers) {
    if (name === 'content-length') declaredBytes = lengthOf(value, declaredBytes, node);
    else if (name === 'connection') named = addNamed(named, value);
    else if (name === 'content-type') {
      types += 1;
      inert = isInert(value);
    }
    if (!KEPT_FROM_CLIENTS.has(name)) flat.push(name, value);
  }
  const kept = named === null ? flat : withoutNamed(flat, named);
  kept.push('x-uwf-node', node, 'x-content-type-options', 'nosniff');
  if (types !== 1 || !inert) kept.push('content-security-policy', SANDBOX);
  return { flat: kept, declaredBytes };
}

function lengthOf(value: string, before: number | null, node: string): number {
  const length = LENGTH.test(value) ? Number(value) : null;
  if (length !== null && (before === null || before === length)) return length;
  throw new Problem(
    'node-failed',
    `${node} gave its answer a content-length that is none, or several; its version may not fit.`,
  );
}

function isInert(type: string): boolean {
  if (INERT.has(type)) return true;
  // A list of types may be read by its last one.
  if (type.includes(',')) return false;
  const end = type.indexOf(';');
  return INERT.has((end < 0 ? type : type.slice(0, end)).trim().toLowerCase());
}

/** `content-type` stays: a browser would guess without it. */
function withoutNamed(flat: readonly string[], named: ReadonlySet<string>): string[] {
  const kept: string[] = [];
  for (let at = 0; at + 1 < flat.length; at += 2) {
    const name = flat[at]!;
    if (name === 'content-type' || !named.has(name)) kept.push(name, flat[at + 1]!);
  }
  return kept;
}
