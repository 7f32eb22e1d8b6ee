import { z } from 'zod';
import { usageSchema } from '../cas/index.js';
import { hashSchema, threadIdSchema } from '../ids/index.js';
import { failureSchema } from './thread.js';
import { timeSchema } from './time.js';

/** One attempt of a step of a thread. */
export const stepSchema = z
  .object({
    threadId: threadIdSchema,
    seq: z.int().positive().describe('From 1.'),
    attempt: z.int().positive(),
    role: z.string(),
    agent: z.string().describe('Name of the binding; `run` for a script.'),
    status: z.enum(['running', 'committed', 'failed', 'interrupted', 'cancelled']),
    problem: failureSchema.nullable(),
    hash: hashSchema.nullable().describe('The state node; null until the commit.'),
    contentHash: hashSchema.nullable(),
    content: z.string().nullable().describe('The first 4 kB of the text.'),
    contentSize: z.int().nonnegative().nullable().describe('Bytes of the whole text.'),
    contentProblem: failureSchema
      .nullable()
      .describe('Why the text, or the whole state, cannot be read: it is damaged or missing.'),
    meta: z.record(z.string(), z.unknown()).nullable(),
    startedAt: timeSchema,
    committedAt: timeSchema.nullable(),
    childThread: threadIdSchema.nullable(),
    usage: usageSchema,
    usd: z.number().nonnegative(),
  })
  .meta({ id: 'Step' });
export type StepJson = z.infer<typeof stepSchema>;
