import { z } from 'zod';
import { threadStatusSchema } from './thread.js';

/** What a node says of itself. */
export const nodeSchema = z
  .object({
    name: z.string(),
    version: z.string(),
    labels: z.record(z.string(), z.string()),
    allow: z
      .array(z.enum(['read', 'control', 'run', 'publish']))
      .describe('What may be done to it by whoever asks.'),
    limits: z.object({
      threads: z
        .int()
        .positive()
        .nullable()
        .describe('Threads that run at once; null while workflow.yaml cannot be read.'),
      bodyBytes: z.int().positive().describe('Largest body of a request.'),
      pageEntries: z.int().positive().describe('Largest page of a list.'),
    }),
    workspaceRoots: z
      .array(z.string())
      .describe(
        'Real paths of the directories below which a thread may be told to work; empty while workflow.yaml cannot be read.',
      ),
    counts: z.record(threadStatusSchema, z.int().nonnegative()).describe('Threads by status.'),
    disk: z.object({ storeBytes: z.int().nonnegative() }),
  })
  .meta({ id: 'Node' });
export type NodeJson = z.infer<typeof nodeSchema>;
