import { z } from 'zod';
import { usageSchema } from '../cas/index.js';
import { hashSchema, threadIdSchema } from '../ids/index.js';
import { threadSummarySchema } from './thread.js';
import { timeSchema } from './time.js';

/** A thread in the tree of its relatives. */
export const relativeSchema = threadSummarySchema
  .extend({
    relation: z.enum(['root', 'fork', 'child']).describe('To the thread that `of` names.'),
    of: threadIdSchema.nullable().describe('Null for the root, or when that one was removed.'),
    atSeq: z
      .int()
      .nonnegative()
      .nullable()
      .describe('fork: steps shared with `of`; child: the step of `of` that it is.'),
  })
  .meta({ id: 'Relative' });
export type Relative = z.infer<typeof relativeSchema>;

/** Forks and nested threads around a thread, as far as they are on this node. */
export const lineageSchema = z
  .object({
    threadId: threadIdSchema,
    items: z.array(relativeSchema).describe('Each after the one it hangs from, oldest first.'),
    isCut: z.boolean().describe('There are more than are listed.'),
  })
  .meta({ id: 'Lineage' });
export type Lineage = z.infer<typeof lineageSchema>;

/** One side of a compared step: its committed attempt. */
export const diffSideSchema = z.object({
  role: z.string(),
  attempt: z.int().positive(),
  hash: hashSchema,
  contentHash: hashSchema.nullable(),
  content: z.string().nullable().describe('The first 4 kB of the text.'),
  contentSize: z.int().nonnegative().nullable().describe('Bytes of the whole text.'),
  meta: z.record(z.string(), z.unknown()),
  usage: usageSchema,
  usd: z.number().nonnegative(),
  startedAt: timeSchema,
  committedAt: timeSchema,
});
export type DiffSide = z.infer<typeof diffSideSchema>;

const totalsSchema = z.object({
  steps: z.int().nonnegative(),
  usage: usageSchema,
  usd: z.number().nonnegative(),
  durationMs: z.int().nonnegative().describe('Sum over these steps.'),
});

/** Two threads side by side, from the first step on that they do not share. */
export const threadDiffSchema = z
  .object({
    a: threadSummarySchema,
    b: threadSummarySchema,
    sharedSteps: z.int().nonnegative().describe('Equal states at the beginning.'),
    steps: z
      .array(
        z.object({
          seq: z.int().positive(),
          a: diffSideSchema.nullable(),
          b: diffSideSchema.nullable(),
          isMetaEqual: z.boolean(),
          isContentEqual: z.boolean(),
        }),
      )
      .describe('At most 200.'),
    isCut: z.boolean(),
    totals: z
      .object({ a: totalsSchema, b: totalsSchema })
      .describe('Of the steps that are not shared.'),
  })
  .meta({ id: 'ThreadDiff' });
export type ThreadDiff = z.infer<typeof threadDiffSchema>;
