import { z } from 'zod';
import { hashSchema } from '../ids/index.js';
import { descriptorSchema, findingSchema as workflowFindingSchema } from '../workflow/index.js';
import { timeSchema } from './time.js';

/** One version of a registered name. */
export const workflowVersionSchema = z.object({
  hash: hashSchema,
  kind: z.enum(['definition', 'bundle']),
  timestamp: timeSchema.describe('When it was registered.'),
});
export type WorkflowVersion = z.infer<typeof workflowVersionSchema>;

/** A row of the list of workflows. */
export const workflowEntrySchema = z
  .object({
    name: z.string(),
    hash: hashSchema.nullable().describe('Null when the file of a project workflow is broken.'),
    kind: z.enum(['definition', 'bundle']),
    origin: z
      .enum(['file', 'project', 'registry', 'builtin', 'version'])
      .describe('Where it was found: a path, .workflows/, the registry, built in, by its hash.'),
    timestamp: timeSchema.nullable().describe('When it was registered; null where it was not.'),
    description: z.string().nullable(),
    problem: z.string().nullable().optional().describe('Why it cannot be run.'),
  })
  .meta({ id: 'WorkflowEntry' });
export type WorkflowEntry = z.infer<typeof workflowEntrySchema>;

/** A workflow in full: roles (description, prompt, schema), edges with conditions, earlier versions newest first. */
export const workflowDetailSchema = workflowEntrySchema
  .extend({
    hash: hashSchema,
    descriptor: descriptorSchema,
    inputs: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe('JSON Schema of what a start takes besides the prompt; null: nothing.'),
    history: z.array(workflowVersionSchema),
  })
  .meta({ id: 'WorkflowDetail' });
export type WorkflowDetail = z.infer<typeof workflowDetailSchema>;

/** A version of a name with the head first; a built-in was never registered. */
export const workflowHistoryItemSchema = workflowVersionSchema
  .extend({ timestamp: timeSchema.nullable(), current: z.boolean() })
  .meta({ id: 'WorkflowHistoryItem' });
export type WorkflowHistoryItem = z.infer<typeof workflowHistoryItemSchema>;

/** What `workflow check` says; line and column from 1, null when the finding is of the whole file. */
export const findingSchema = workflowFindingSchema
  .extend({ line: z.int().positive().nullable(), column: z.int().positive().nullable() })
  .meta({ id: 'Finding' });
export type FindingJson = z.infer<typeof findingSchema>;
