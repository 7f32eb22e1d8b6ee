import type { z } from 'zod';
import { Problem } from '../problem/index.js';
import {
  FRAME,
  FRAME_HEADER_BYTES,
  type Frame,
  goawaySchema,
  helloSchema,
  requestSchema,
  resetSchema,
  responseSchema,
  welcomeSchema,
} from './frame-types.js';
import { readRequestHead, readResponseHead } from './head-checks.js';

/** Sizes a decoder holds its peer to, bytes of payload: `LinkLimits` has them. */
type FrameLimits = { readonly maxFrameBytes: number; readonly maxHeadBytes: number };

/** A nonce, an offset: u64, bytes. */
const U64_BYTES = 8;
const U32 = 0x1_0000_0000;
/** Types from here on are left aside by who does not know them. */
const OPTIONAL_TYPE = 0x80;
/** Without state between calls. A payload that is no UTF-8 is an error, not a text with holes. */
const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true });

/** Largest message a peer may send, bytes: `maxPayload` of the socket. */
export function maxMessageBytes(limits: FrameLimits): number {
  return Math.max(limits.maxFrameBytes, limits.maxHeadBytes) + FRAME_HEADER_BYTES;
}

/** A frame as one binary message. Does not look at sizes: the sender of a head does (`encodeHead`). */
export function encodeFrame(frame: Frame): Uint8Array {
  switch (frame.type) {
    case FRAME.ping:
    case FRAME.pong: {
      const bytes = start(frame.type, 0, U64_BYTES);
      new DataView(bytes.buffer).setBigUint64(FRAME_HEADER_BYTES, frame.nonce);
      return bytes;
    }
    case FRAME.credit: {
      const bytes = start(frame.type, frame.stream, U64_BYTES);
      const view = new DataView(bytes.buffer);
      view.setUint32(FRAME_HEADER_BYTES, Math.floor(frame.offset / U32));
      view.setUint32(FRAME_HEADER_BYTES + U64_BYTES / 2, frame.offset % U32);
      return bytes;
    }
    case FRAME.data: {
      const bytes = start(frame.type, frame.stream, frame.bytes.byteLength);
      bytes.set(frame.bytes, FRAME_HEADER_BYTES);
      return bytes;
    }
    case FRAME.end:
      return start(frame.type, frame.stream, 0);
    default: {
      const payload = encoder.encode(JSON.stringify(frame.payload));
      const bytes = start(frame.type, frame.stream, payload.byteLength);
      bytes.set(payload, FRAME_HEADER_BYTES);
      return bytes;
    }
  }
}

/** Writes the header of a DATA frame; the payload goes behind it, at `FRAME_HEADER_BYTES`. */
export function startData(frame: Uint8Array, stream: number): void {
  header(frame, FRAME.data, stream);
}

/**
 * Reads one message; null when its type is unknown and may be left aside. The bytes of a DATA frame are a view of the
 * message. Throws `bad-frame`, and nothing else, whatever the bytes are.
 */
export function decodeFrame(message: Uint8Array, limits: FrameLimits): Frame | null {
  const size = message.byteLength - FRAME_HEADER_BYTES;
  if (size < 0) throw badFrame(`a message of ${message.byteLength} bytes has no header`);
  if (size > Math.max(limits.maxFrameBytes, limits.maxHeadBytes)) {
    throw badFrame(`a payload of ${size} bytes is larger than any frame`);
  }
  const view = new DataView(message.buffer, message.byteOffset, message.byteLength);
  const type = view.getUint8(0);
  const stream = view.getUint32(1);
  switch (type) {
    case FRAME.data:
      inStream(type, stream);
      if (size > limits.maxFrameBytes) throw badFrame(`DATA of ${size} bytes`);
      return { type, stream, bytes: message.subarray(FRAME_HEADER_BYTES) };
    case FRAME.credit: {
      inStream(type, stream);
      exactly(type, size, U64_BYTES);
      const high = view.getUint32(FRAME_HEADER_BYTES);
      const offset = high * U32 + view.getUint32(FRAME_HEADER_BYTES + U64_BYTES / 2);
      if (!Number.isSafeInteger(offset)) throw badFrame('CREDIT beyond what can be counted');
      return { type, stream, offset };
    }
    case FRAME.end:
      inStream(type, stream);
      exactly(type, size, 0);
      return { type, stream };
    case FRAME.request:
      inStream(type, stream);
      return {
        type,
        stream,
        payload: json(message, requestSchema, 'REQUEST', limits, readRequestHead),
      };
    case FRAME.response:
      inStream(type, stream);
      return {
        type,
        stream,
        payload: json(message, responseSchema, 'RESPONSE', limits, readResponseHead),
      };
    case FRAME.reset:
      inStream(type, stream);
      return { type, stream, payload: json(message, resetSchema, 'RESET', limits) };
    case FRAME.ping:
    case FRAME.pong:
      exactly(type, size, U64_BYTES);
      return {
        type,
        stream: ofConnection(type, stream),
        nonce: view.getBigUint64(FRAME_HEADER_BYTES),
      };
    case FRAME.hello: {
      const payload = json(message, helloSchema, 'HELLO', limits);
      return { type, stream: ofConnection(type, stream), payload };
    }
    case FRAME.welcome: {
      const payload = json(message, welcomeSchema, 'WELCOME', limits);
      return { type, stream: ofConnection(type, stream), payload };
    }
    case FRAME.goaway: {
      const payload = json(message, goawaySchema, 'GOAWAY', limits);
      return { type, stream: ofConnection(type, stream), payload };
    }
    default:
      if (type >= OPTIONAL_TYPE) return null;
      throw badFrame(`unknown type ${hex(type)}`);
  }
}

function start(type: number, stream: number, size: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(FRAME_HEADER_BYTES + size);
  header(bytes, type, stream);
  return bytes;
}

function header(bytes: Uint8Array, type: number, stream: number): void {
  bytes[0] = type;
  bytes[1] = stream >>> 24;
  bytes[2] = stream >>> 16;
  bytes[3] = stream >>> 8;
  bytes[4] = stream;
}

/** `read`: a quicker way to what `schema` gives, null where the schema is to decide. */
function json<T>(
  message: Uint8Array,
  schema: z.ZodType<T>,
  name: string,
  limits: FrameLimits,
  read?: (value: unknown) => T | null,
): T {
  const payload = message.subarray(FRAME_HEADER_BYTES);
  if (payload.byteLength > limits.maxHeadBytes) {
    throw badFrame(`${name} of ${payload.byteLength} bytes`);
  }
  let value: unknown;
  try {
    value = JSON.parse(decoder.decode(payload));
  } catch (cause) {
    throw badFrame(`${name} is not JSON in UTF-8`, cause);
  }
  const known = read?.(value) ?? null;
  if (known !== null) return known;
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw badFrame(
    `${name}.${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'invalid'}`,
    parsed.error,
  );
}

function inStream(type: number, stream: number): void {
  if (stream === 0) throw badFrame(`${hex(type)} without a stream`);
}

function ofConnection(type: number, stream: number): 0 {
  if (stream !== 0) throw badFrame(`${hex(type)} in stream ${stream}`);
  return 0;
}

function exactly(type: number, size: number, expected: number): void {
  if (size !== expected) throw badFrame(`${hex(type)} with ${size} bytes instead of ${expected}`);
}

function hex(type: number): string {
  return `frame type 0x${type.toString(16).padStart(2, '0')}`;
}

export function badFrame(what: string, cause?: unknown): Problem {
  return new Problem(
    'bad-frame',
    `The other side of the link does not follow the protocol: ${what}. Update the older of the two programs.`,
    cause === undefined ? {} : { cause },
  );
}
