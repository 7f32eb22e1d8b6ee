import { z } from 'zod';
import { type Hash, hashSchema } from '../ids/index.js';
import { definitionSchema } from '../workflow/index.js';

/** Payloads of the CAS nodes (docs/data.md). Every field is present, unknown = null; times in ms since epoch. */

const time = z.int().nonnegative();
const jsonObject = z.record(z.string(), z.unknown());
const tokens = z.int().nonnegative();

/** Tokens in four buckets. */
export const usageSchema = z.strictObject({
  input: tokens,
  cacheRead: tokens,
  cacheWrite: tokens,
  output: tokens,
});
export type Usage = z.infer<typeof usageSchema>;

export const payloadSchemas = {
  content: z.strictObject({ text: z.string() }),
  parts: z.strictObject({ size: z.int().nonnegative(), parts: z.array(hashSchema) }),
  bytes: z.strictObject({ base64: z.base64() }),
  definition: definitionSchema,
  start: z.strictObject({
    workflow: z.string(),
    definition: hashSchema.nullable(),
    /** XXH64 of the bundle file; a file's hash, not a node's. */
    bundle: hashSchema.nullable(),
    prompt: hashSchema,
    inputs: jsonObject.nullable(),
    depth: z.int().nonnegative(),
    parentState: hashSchema.nullable(),
    workspace: z.string().nullable(),
  }),
  state: z.strictObject({
    role: z.string(),
    attempt: z.int().positive(),
    start: hashSchema,
    content: hashSchema.nullable(),
    meta: jsonObject,
    ancestors: z.array(hashSchema),
    compact: hashSchema.nullable(),
    childThread: z.string().nullable(),
    agent: z.string().nullable(),
    session: hashSchema.nullable(),
    usage: usageSchema.nullable(),
    startedAt: time,
    timestamp: time,
  }),
  session: z.strictObject({
    agent: z.string(),
    role: z.string(),
    turns: z.array(hashSchema),
    totalTokens: usageSchema.nullable(),
    durationMs: z.int().nonnegative().nullable(),
  }),
  turn: z.strictObject({
    input: hashSchema.nullable(),
    output: hashSchema.nullable(),
    reasoning: hashSchema.nullable(),
    toolCalls: z.array(hashSchema),
    tokens: usageSchema.nullable(),
    latencyMs: z.int().nonnegative().nullable(),
  }),
  toolCall: z.strictObject({
    name: z.string(),
    arguments: hashSchema.nullable(),
    result: hashSchema.nullable(),
    durationMs: z.int().nonnegative().nullable(),
  }),
} as const;

export type NodeType = keyof typeof payloadSchemas;
export type Payload<T extends NodeType> = z.infer<(typeof payloadSchemas)[T]>;

export type Node<T extends NodeType = NodeType> = {
  [K in T]: { type: K; payload: Payload<K>; refs: Hash[] };
}[T];

/** Which payload fields hold hashes: the `→` fields. */
export const refFields = {
  content: [],
  parts: ['parts'],
  bytes: [],
  definition: [],
  start: ['definition', 'prompt', 'parentState'],
  state: ['start', 'content', 'ancestors', 'compact', 'session'],
  session: ['turns'],
  turn: ['input', 'output', 'reasoning', 'toolCalls'],
  toolCall: ['arguments', 'result'],
} as const satisfies { [K in NodeType]: readonly (keyof Payload<K>)[] };
