import { z } from 'zod';

const tokens = z.int().nonnegative().default(0);
const usage = z
  .strictObject({ input: tokens, cacheRead: tokens, cacheWrite: tokens, output: tokens })
  .nullable()
  .default(null);
const text = z.string().nullable().default(null);
const milliseconds = z.int().nonnegative().nullable().default(null);

const toolCallSchema = z.strictObject({
  name: z.string().min(1),
  arguments: text,
  result: text,
  durationMs: milliseconds,
});

const turnSchema = z.strictObject({
  input: text,
  output: text,
  reasoning: text,
  toolCalls: z.array(toolCallSchema).default([]),
  usage,
  latencyMs: milliseconds,
});

const traceSchema = z.strictObject({ turns: z.array(turnSchema), durationMs: milliseconds });

/** A prepared answer, with the trace and the usage that it stands for; what is not given is unknown. */
const answerSchema = z.strictObject({
  text: z.string(),
  trace: traceSchema.nullable().default(null),
  usage,
});

/** A text alone stands for `{text}`. Not a union: that would say what each of its members misses. */
export const scriptedAnswerSchema = z.preprocess(
  (given) => (typeof given === 'string' ? { text: given } : given),
  answerSchema,
);
