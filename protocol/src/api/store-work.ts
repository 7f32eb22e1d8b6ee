import { z } from 'zod';
import { hashSchema, threadIdSchema } from '../ids/index.js';
import { nodeTypeSchema } from './cas.js';
import { problemSchema } from './problem.js';

/** How far long work is, at most some ten a second. */
const progressSchema = z.object({
  type: z.literal('progress'),
  phase: z.enum(['mark', 'sweep', 'compact', 'verify', 'import']),
  done: z.int().nonnegative(),
  total: z.int().nonnegative().nullable().describe('Null while it is not known.'),
});

const problemLineSchema = z.object({ type: z.literal('problem'), problem: problemSchema });

/** Lines of long work: progress, and at the end one result or problem. */
function lines<T extends z.ZodRawShape>(result: T) {
  return z.discriminatedUnion('type', [
    progressSchema,
    z.object({ type: z.literal('result'), ...result }),
    problemLineSchema,
  ]);
}

export const gcLineSchema = lines({
  dryRun: z.boolean(),
  scannedThreads: z.int().nonnegative().describe('Hashes that threads begin and end at.'),
  activeRefs: z.int().nonnegative().describe('Nodes that are needed.'),
  deletedEntries: z.int().nonnegative(),
  deletedBytes: z.int().nonnegative().describe('Bytes of those nodes.'),
  graceEntries: z.int().nonnegative().describe('Not needed, but too young to go.'),
  freedBytes: z.int().nonnegative().describe('By which the files became smaller.'),
}).meta({ id: 'GcLine' });
export type GcLine = z.infer<typeof gcLineSchema>;

export const damageSchema = z.object({
  hash: hashSchema,
  type: nodeTypeSchema.nullable().describe('As the store has it; null when the entry is missing.'),
  reason: z.string(),
  threads: z.array(threadIdSchema).describe('That reach it; at most 50.'),
  isCut: z.boolean().describe('More threads reach it than are named.'),
});
export type Damage = z.infer<typeof damageSchema>;

export const verifyLineSchema = lines({
  checked: z.int().nonnegative(),
  quarantined: z.int().nonnegative().describe('Newly marked as damaged and put aside.'),
  damaged: z.array(damageSchema).describe('At most 200.'),
  damagedCount: z.int().nonnegative(),
}).meta({ id: 'VerifyLine' });
export type VerifyLine = z.infer<typeof verifyLineSchema>;

export const importLineSchema = lines({
  threadId: threadIdSchema,
  nodes: z.int().nonnegative(),
  newNodes: z.int().nonnegative(),
}).meta({ id: 'ImportLine' });
export type ImportLine = z.infer<typeof importLineSchema>;
