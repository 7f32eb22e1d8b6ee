import {
  HEADER_NAME,
  HEADER_VALUE,
  type LinkHeaders,
  METHODS,
  REQUEST_PATH,
  type RequestHead,
  type ResponseHead,
  STATUS_MAX,
  STATUS_MIN,
} from './frame-types.js';

/*
 * What `requestSchema` and `responseSchema` say, written out: each head is checked on both sides of a link, and zod took 8 % of
 * what a gateway does for a small request. Null: it is not so, and the schema says why. A test holds the two against each other.
 */

export function readRequestHead(value: unknown): RequestHead | null {
  if (!isObject(value)) return null;
  const { method, path, headers, end } = value;
  if (typeof path !== 'string' || !REQUEST_PATH.test(path)) return null;
  if (!isMethod(method) || typeof end !== 'boolean' || !areHeaders(headers)) return null;
  return { method, path, headers, end };
}

export function readResponseHead(value: unknown): ResponseHead | null {
  if (!isObject(value)) return null;
  const { status, headers, end } = value;
  if (typeof status !== 'number' || !Number.isInteger(status)) return null;
  if (status < STATUS_MIN || status > STATUS_MAX) return null;
  if (typeof end !== 'boolean' || !areHeaders(headers)) return null;
  return { status, headers, end };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isMethod(value: unknown): value is RequestHead['method'] {
  return METHODS.includes(value as RequestHead['method']);
}

function areHeaders(value: unknown): value is LinkHeaders {
  if (!Array.isArray(value)) return false;
  for (const header of value) {
    if (!Array.isArray(header) || header.length !== 2) return false;
    const [name, text] = header;
    if (typeof name !== 'string' || !HEADER_NAME.test(name)) return false;
    if (typeof text !== 'string' || !HEADER_VALUE.test(text)) return false;
  }
  return true;
}
