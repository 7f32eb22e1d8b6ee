import { z } from 'zod';
import { usageSchema } from '../cas/index.js';
import { hashSchema, threadIdSchema } from '../ids/index.js';
import { type ProblemCode, problemCodes } from '../problem/index.js';
import { timeSchema } from './time.js';

export const threadStatusSchema = z.enum([
  'queued',
  'running',
  'paused',
  'waiting',
  'interrupted',
  'completed',
  'failed',
  'cancelled',
]);

/** Why a thread or a step failed. */
export const failureSchema = z.object({
  code: z.enum(Object.keys(problemCodes) as [ProblemCode, ...ProblemCode[]]),
  message: z.string(),
});

/** A row of a list of threads. */
export const threadSummarySchema = z
  .object({
    threadId: threadIdSchema,
    workflow: z.string(),
    version: hashSchema.describe('Of the definition node or of the bundle file.'),
    kind: z.enum(['definition', 'bundle']),
    status: threadStatusSchema,
    desired: z.enum(['run', 'pause', 'kill']),
    reason: z
      .enum(['user', 'loop', 'max-steps', 'max-visits', 'budget'])
      .nullable()
      .describe('Why it is paused.'),
    problem: failureSchema.nullable(),
    retryable: z.boolean().describe('It failed, and `retry` can go on with the next attempt.'),
    prompt: z.string().describe('The first 200 characters.'),
    role: z.string().nullable().describe('The current role, or the last.'),
    stepCount: z.int().nonnegative(),
    usage: usageSchema,
    usd: z.number().nonnegative(),
    parent: threadIdSchema.nullable().describe('The thread whose step it is.'),
    forkedFrom: threadIdSchema.nullable(),
    imported: z
      .boolean()
      .describe('A copy from a pack; it cannot run here, only be read and forked.'),
    createdAt: timeSchema,
    updatedAt: timeSchema,
    startedAt: timeSchema.nullable(),
    endedAt: timeSchema.nullable(),
    returnCode: z.int().nullable(),
    summary: z.string().nullable(),
  })
  .meta({ id: 'ThreadSummary' });
export type ThreadSummary = z.infer<typeof threadSummarySchema>;

/** What was asked for or raised; null = not given. */
const optionsSchema = z.object({
  agents: z.record(z.string(), z.string()).describe('Agent per role.'),
  maxSteps: z.int().positive().nullable(),
  maxVisits: z.int().positive().nullable(),
  budget: z
    .object({
      tokens: z.int().positive().nullable(),
      usd: z.number().positive().nullable(),
    })
    .nullable(),
  stopAt: z.int().positive().nullable().describe('It pauses once it has so many steps.'),
});

/** A thread in full; its steps are a list of their own. */
export const threadDetailSchema = threadSummarySchema
  .extend({
    prompt: z.string().describe('The whole prompt.'),
    inputs: z.record(z.string(), z.unknown()).nullable(),
    start: hashSchema,
    head: hashSchema,
    depth: z.int().nonnegative(),
    parentSeq: z.int().positive().nullable().describe('The step of `parent` that it is.'),
    forkedSeq: z
      .int()
      .nonnegative()
      .nullable()
      .describe('So many first steps it shares with `forkedFrom`.'),
    workspace: z.string().describe('The directory it works in, by its real path.'),
    workspaceMade: z
      .boolean()
      .describe('The node made the directory for a thread; anybody who may run may use it.'),
    options: optionsSchema,
    owner: z
      .object({ pid: z.int().positive() })
      .nullable()
      .describe('The process that runs it now.'),
    queue: z
      .object({
        position: z.int().positive().describe('From 1; among those that wait for the same.'),
        waitsFor: z
          .enum(['workflow', 'node', 'worker'])
          .describe('A slot of its workflow, one of the node, or only a process to take it.'),
      })
      .nullable()
      .describe('Its place while it is queued.'),
    current: hashSchema
      .nullable()
      .describe('Version the name stands for now, when it is another than this.'),
  })
  .meta({ id: 'ThreadDetail' });
export type ThreadDetail = z.infer<typeof threadDetailSchema>;

/** Whether it runs and what it was told to do: what follows an order. */
export const threadOrderSchema = z
  .object({
    threadId: threadIdSchema,
    status: threadStatusSchema,
    desired: z.enum(['run', 'pause', 'kill']),
  })
  .meta({ id: 'ThreadOrder' });
export type ThreadOrder = z.infer<typeof threadOrderSchema>;
