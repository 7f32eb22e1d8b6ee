import { z } from 'zod';
import { usageSchema } from '../cas/index.js';
import { hashSchema } from '../ids/index.js';
import { stepSchema } from './step.js';

const textSchema = z
  .object({
    hash: hashSchema,
    text: z.string().nullable().describe('The first 4 kB; null when it is missing in the store.'),
    size: z.int().nonnegative().nullable().describe('Bytes of the whole text.'),
  })
  .nullable();

/** What an agent did within a step, as far as it tells: its turns, and in each the tools it called. */
export const traceSchema = z
  .object({
    hash: hashSchema.describe('The session node.'),
    agent: z.string(),
    role: z.string(),
    usage: usageSchema.nullable(),
    durationMs: z.int().nonnegative().nullable(),
    turnCount: z
      .int()
      .nonnegative()
      .describe('Of the session; of many only the first are in `turns`.'),
    turns: z.array(
      z.object({
        hash: hashSchema,
        input: textSchema,
        output: textSchema,
        reasoning: textSchema,
        usage: usageSchema.nullable(),
        durationMs: z.int().nonnegative().nullable(),
        toolCallCount: z
          .int()
          .nonnegative()
          .describe('Of the turn; of many only the first are in `toolCalls`.'),
        toolCalls: z.array(
          z.object({
            hash: hashSchema,
            name: z.string(),
            arguments: textSchema,
            result: textSchema,
            durationMs: z.int().nonnegative().nullable(),
          }),
        ),
      }),
    ),
  })
  .meta({ id: 'Trace' });
export type Trace = z.infer<typeof traceSchema>;

/** A step with what its agent did. */
export const stepDetailSchema = stepSchema
  .extend({ trace: traceSchema.nullable().describe('Null when the agent tells nothing of it.') })
  .meta({ id: 'StepDetail' });
export type StepDetail = z.infer<typeof stepDetailSchema>;
