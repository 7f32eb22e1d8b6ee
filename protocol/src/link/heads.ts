import type { z } from 'zod';
import { Problem } from '../problem/index.js';
import {
  FRAME,
  FRAME_HEADER_BYTES,
  type Frame,
  MESSAGE_MAX_CHARACTERS,
  type RequestHead,
  type ResetCode,
  type ResponseHead,
  requestSchema,
  responseSchema,
} from './frame-types.js';
import { encodeFrame } from './frames.js';
import { readRequestHead, readResponseHead } from './head-checks.js';
import type { LinkLimits } from './limits.js';

/** REQUEST as a frame. Throws `invalid-argument` or `too-large`: the other side would give up the link over it. */
export function encodeRequest(stream: number, head: RequestHead, limits: LinkLimits): Uint8Array {
  const payload = readRequestHead(head) ?? checked(requestSchema, head, 'A request');
  return fitting(
    encodeFrame({ type: FRAME.request, stream, payload }),
    'The head of a request',
    limits,
  );
}

/** RESPONSE as a frame; throws as `encodeRequest` does. */
export function encodeResponse(stream: number, head: ResponseHead, limits: LinkLimits): Uint8Array {
  const payload = readResponseHead(head) ?? checked(responseSchema, head, 'An answer');
  return fitting(
    encodeFrame({ type: FRAME.response, stream, payload }),
    'The head of an answer',
    limits,
  );
}

export function encodeReset(stream: number, code: ResetCode, message: string): Uint8Array {
  return encodeFrame({ type: FRAME.reset, stream, payload: { code, message: cut(message) } });
}

/** HELLO, WELCOME or GOAWAY; the free text of the last is cut to what fits. Throws as `encodeRequest` does. */
export function encodeOfConnection(
  frame: Extract<Frame, { stream: 0; payload: unknown }>,
  limits: LinkLimits,
): Uint8Array {
  const { type } = frame;
  if (type !== FRAME.goaway) return fitting(encodeFrame(frame), 'The handshake', limits);
  const payload = { ...frame.payload, message: cut(frame.payload.message) };
  return encodeFrame({ type, stream: 0, payload });
}

function checked<T>(schema: z.ZodType<T>, head: T, what: string): T {
  const parsed = schema.safeParse(head);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new Problem(
    'invalid-argument',
    `${what} cannot cross the link: ${issue?.path.join('.') ?? 'head'}: ${issue?.message ?? 'invalid'}. Names of headers are lower case, values and the path hold no control characters.`,
    { cause: parsed.error },
  );
}

function fitting(frame: Uint8Array, what: string, limits: LinkLimits): Uint8Array {
  const size = frame.byteLength - FRAME_HEADER_BYTES;
  if (size <= limits.maxHeadBytes) return frame;
  throw new Problem(
    'too-large',
    `${what} has ${size} bytes, ${limits.maxHeadBytes} cross the link. Send fewer or shorter headers.`,
  );
}

function cut(message: string): string {
  return message.slice(0, MESSAGE_MAX_CHARACTERS);
}
