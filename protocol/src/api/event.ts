import { z } from 'zod';
import { threadIdSchema } from '../ids/index.js';
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
