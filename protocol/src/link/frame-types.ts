import { z } from 'zod';

/** The subprotocol of the WebSocket (`Sec-WebSocket-Protocol`): it names the framing only. */
export const LINK_SUBPROTOCOL = 'uwf.link.1';

/** Protocols this build speaks, told in HELLO. */
export const LINK_PROTOCOLS: readonly number[] = [1];

/** `type u8 · stream u32`, bytes. */
export const FRAME_HEADER_BYTES = 5;

/** First byte of a frame. From 0x80 on, who does not know a type leaves it aside. */
export const FRAME = {
  hello: 0x01,
  welcome: 0x02,
  ping: 0x03,
  pong: 0x04,
  request: 0x10,
  response: 0x11,
  data: 0x12,
  end: 0x13,
  reset: 0x14,
  credit: 0x15,
  goaway: 0x1f,
} as const;

/** Characters of the free text in RESET and GOAWAY; senders cut it, it is for people. */
export const MESSAGE_MAX_CHARACTERS = 1024;
/** Names, versions and labels in a handshake, characters and entries: generous, and all of it fits a head frame. */
const TEXT_MAX_CHARACTERS = 256;
const LABELS_MAX = 64;
const PROTOCOLS_MAX = 64;
/** What a node puts up with from a gateway: its own memory hangs on these. */
const WELCOME_MAX = {
  heartbeatMs: 600_000,
  frameBytes: 1024 * 1024,
  windowBytes: 16 * 1024 * 1024,
  streams: 65_536,
} as const;
export const STATUS_MIN = 200;
export const STATUS_MAX = 599;
export const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;
export const REQUEST_PATH = /^\/[\x21-\x7e]*$/;
export const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;
export const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

const textSchema = z.string().min(1).max(TEXT_MAX_CHARACTERS);
const messageSchema = z.string().max(MESSAGE_MAX_CHARACTERS);
const countSchema = (max: number) => z.number().int().min(1).max(max);

/** What a node lets a gateway do. */
export const allowSchema = z.enum(['read', 'control', 'run', 'publish']);
export type Allow = z.infer<typeof allowSchema>;

export const helloSchema = z.object({
  protocols: z.array(z.number().int().min(1)).min(1).max(PROTOCOLS_MAX),
  /** The node's name. */
  node: textSchema,
  /** Made when the process starts: tells a restart from a second machine of the same name. */
  instance: textSchema,
  /** Of the node's program, for people. */
  version: textSchema,
  labels: z
    .record(z.string().max(TEXT_MAX_CHARACTERS), z.string().max(TEXT_MAX_CHARACTERS))
    .refine((labels) => Object.keys(labels).length <= LABELS_MAX, 'too many labels'),
  allow: z.array(allowSchema).max(allowSchema.options.length),
});
export type Hello = z.infer<typeof helloSchema>;

export const welcomeSchema = z.object({
  protocol: z.number().int().min(1),
  /** The gateway's name, for people. */
  gateway: textSchema,
  /** Counts the admissions of this name. */
  generation: z.number().int().min(0),
  heartbeatMs: countSchema(WELCOME_MAX.heartbeatMs),
  maxFrame: countSchema(WELCOME_MAX.frameBytes),
  window: countSchema(WELCOME_MAX.windowBytes),
  maxStreams: countSchema(WELCOME_MAX.streams),
});
export type Welcome = z.infer<typeof welcomeSchema>;

/** `[name, value]`, names in lower case; a name may occur again (`set-cookie`). Values hold no control characters. */
const headersSchema = z.array(
  z.tuple([z.string().regex(HEADER_NAME), z.string().regex(HEADER_VALUE)]),
);
export type LinkHeaders = z.infer<typeof headersSchema>;

export const requestSchema = z.object({
  method: z.enum(METHODS),
  /** Path and query as they stood in the request line. */
  path: z.string().regex(REQUEST_PATH),
  headers: headersSchema,
  /** No body follows. */
  end: z.boolean(),
});
export type RequestHead = z.infer<typeof requestSchema>;

export const responseSchema = z.object({
  status: z.number().int().min(STATUS_MIN).max(STATUS_MAX),
  headers: headersSchema,
  /** No body follows. */
  end: z.boolean(),
});
export type ResponseHead = z.infer<typeof responseSchema>;

const resetCodeSchema = z.enum([
  'cancelled',
  'no-error',
  'refused',
  'timeout',
  'too-large',
  'credit',
  'internal',
]);
export type ResetCode = z.infer<typeof resetCodeSchema>;
export const resetSchema = z.object({ code: resetCodeSchema, message: messageSchema });

const goawayCodeSchema = z.enum([
  'shutdown',
  'replaced',
  'name-in-use',
  'protocol',
  'revoked',
  'bad-frame',
]);
export type GoawayCode = z.infer<typeof goawayCodeSchema>;
export const goawaySchema = z.object({
  code: goawayCodeSchema,
  message: messageSchema,
  /** The highest stream its sender has taken up; what was opened above it has not been touched. */
  lastStream: z.number().int().min(0).max(0xff_ff_ff_ff),
});
export type Goaway = z.infer<typeof goawaySchema>;

/** One frame, decoded. `stream` is 0 for what concerns the connection and never 0 elsewhere. */
export type Frame =
  | { readonly type: typeof FRAME.hello; readonly stream: 0; readonly payload: Hello }
  | { readonly type: typeof FRAME.welcome; readonly stream: 0; readonly payload: Welcome }
  | {
      readonly type: typeof FRAME.ping | typeof FRAME.pong;
      readonly stream: 0;
      readonly nonce: bigint;
    }
  | { readonly type: typeof FRAME.request; readonly stream: number; readonly payload: RequestHead }
  | {
      readonly type: typeof FRAME.response;
      readonly stream: number;
      readonly payload: ResponseHead;
    }
  | { readonly type: typeof FRAME.data; readonly stream: number; readonly bytes: Uint8Array }
  | { readonly type: typeof FRAME.end; readonly stream: number }
  | {
      readonly type: typeof FRAME.reset;
      readonly stream: number;
      readonly payload: { code: ResetCode; message: string };
    }
  /** `offset`: bytes since the stream began, up to which its receiver may send. */
  | { readonly type: typeof FRAME.credit; readonly stream: number; readonly offset: number }
  | { readonly type: typeof FRAME.goaway; readonly stream: 0; readonly payload: Goaway };
