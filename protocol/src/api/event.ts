import { z } from 'zod';
import { threadIdSchema } from '../ids/index.js';
import { threadStatusSchema, threadSummarySchema } from './thread.js';
import { timeSchema } from './time.js';

export const eventTypeSchema = z.enum([
  'thread.queued',
  'thread.started',
  'thread.paused',
  'thread.waiting',
  'thread.interrupted',
  'thread.resumed',
  'thread.completed',
  'thread.failed',
  'thread.cancelled',
  'thread.removed',
  'step.started',
  'step.nested',
  'step.committed',
  'step.failed',
  'question.asked',
  'question.answered',
  'workflow.changed',
]);

/** Something that happened on a node. `data` holds hashes and small fields only. */
export const eventSchema = z
  .object({
    seq: z.int().positive().describe('Ascending within a node.'),
    type: eventTypeSchema,
    thread: threadIdSchema.nullable(),
    at: timeSchema,
    data: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'Event' });
export type EventJson = z.infer<typeof eventSchema>;

/** Text of the step in flight as it comes. Carries no id: a client that was cut off gets it again from the step's start. */
export const liveSchema = z
  .object({
    thread: threadIdSchema,
    step: z.int().positive().describe('`seq` of the step.'),
    n: z.int().positive().describe('Ascending within an attempt.'),
    kind: z.enum(['text', 'stderr']),
    text: z.string(),
  })
  .meta({ id: 'Live' });
export type LiveJson = z.infer<typeof liveSchema>;

/** First event of a node's stream: how things stand; what follows has a higher `seq`. */
export const snapshotSchema = z
  .object({
    seq: z.int().nonnegative(),
    counts: z.record(threadStatusSchema, z.int().nonnegative()),
    threads: z.array(threadSummarySchema).describe('Running and waiting ones, newest first.'),
  })
  .meta({ id: 'Snapshot' });
export type SnapshotJson = z.infer<typeof snapshotSchema>;

/** Last event of a thread's stream: nothing can follow. The status is null when the thread was removed. */
export const doneSchema = z
  .object({
    thread: threadIdSchema,
    status: threadStatusSchema.nullable(),
    returnCode: z.int().nullable(),
  })
  .meta({ id: 'Done' });
export type DoneJson = z.infer<typeof doneSchema>;

/** The given Last-Event-ID is not known here: forget what you have, all of it follows anew. */
export const resyncSchema = z
  .object({ reason: z.enum(['foreign', 'pruned']) })
  .meta({ id: 'Resync' });
export type ResyncJson = z.infer<typeof resyncSchema>;
