import { JSON_MAX_DEPTH } from '../limits.js';
import { Problem } from '../problem/index.js';

const JSON_TYPE = /^application\/json\s*(;.*)?$/i;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);

/**
 * The JSON of a request; undefined when it has no body. A content type that is not JSON is refused even without a body:
 * such requests a browser sends for any page. Throws unsupported-media-type, too-large, invalid-argument.
 */
export async function readJsonBody(request: Request, maxBytes: number): Promise<unknown> {
  const type = request.headers.get('content-type');
  if (type !== null && !JSON_TYPE.test(type)) {
    throw new Problem(
      'unsupported-media-type',
      `The body is ${JSON.stringify(type.slice(0, 60))}; send JSON as content-type: application/json.`,
    );
  }
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const bytes = await readBytes(request, maxBytes);
  if (bytes.length === 0) return undefined;
  if (type === null)
    throw new Problem(
      'unsupported-media-type',
      'The body has no content type; send JSON as content-type: application/json.',
    );
  checkDepth(bytes);
  return parse(bytes);
}

async function readBytes(request: Request, maxBytes: number): Promise<Uint8Array> {
  if (request.body === null) return new Uint8Array(0);
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop early calls off the rest of the body.
  for await (const chunk of request.body as unknown as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  if (chunks.length === 1) return chunks[0]!;
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

/** On the bytes: brackets and quotes are the same in all of UTF-8. */
function checkDepth(bytes: Uint8Array): void {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at]!;
    if (inString) {
      if (byte === BACKSLASH) at += 1;
      else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) inString = true;
    else if (OPENING.has(byte)) {
      depth += 1;
      if (depth > JSON_MAX_DEPTH)
        throw new Problem(
          'invalid-argument',
          `The JSON of the body is nested deeper than ${JSON_MAX_DEPTH} levels; flatten it.`,
        );
    } else if (CLOSING.has(byte)) depth -= 1;
  }
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    // The decoder's TypeError says that it is not UTF-8. What JSON.parse says quotes the body, so it is not passed on.
    if (error instanceof SyntaxError || error instanceof TypeError)
      throw new Problem('invalid-argument', 'The body of the request is not JSON in UTF-8.', {
        cause: error,
      });
    throw error;
  }
}

function tooLarge(maxBytes: number): Problem {
  return new Problem('too-large', `The body of the request is larger than ${maxBytes} bytes.`);
}
