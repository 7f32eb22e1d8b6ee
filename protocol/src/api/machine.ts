import { z } from 'zod';
import { labelsSchema, nodeNameSchema } from '../ids/index.js';
import { allowSchema } from '../link/index.js';
import { nodeSchema } from './node.js';
import { threadSummarySchema } from './thread.js';
import { timeSchema } from './time.js';

/** A node as its gateway knows it, there or not. */
export const machineSchema = z
  .object({
    name: nodeNameSchema,
    state: z
      .enum(['online', 'offline', 'update-needed'])
      .describe('`update-needed`: it was refused, it speaks no protocol that the gateway does.'),
    since: timeSchema.describe('When this state began.'),
    version: z.string().describe('Of its program, as it said last.'),
    labels: labelsSchema,
    allow: z.array(allowSchema).describe('What it lets others do to it.'),
    gateway: z.string().describe('Which gateway it is, or was, connected to.'),
    rttMs: z
      .number()
      .nonnegative()
      .nullable()
      .describe(
        'Round trip of the last ping; null before the first one was answered, and offline.',
      ),
  })
  .meta({ id: 'Machine' });
export type MachineJson = z.infer<typeof machineSchema>;

/** With what it last said of itself, so that something can be shown while it is away. */
export const machineDetailSchema = machineSchema
  .extend({
    node: nodeSchema.nullable().describe('Its last GET /api/node; null when there was none.'),
    threads: z.array(threadSummarySchema).describe('Its newest threads as last seen, at most 50.'),
    seenAt: timeSchema.nullable().describe('When `node` and `threads` were like this.'),
  })
  .meta({ id: 'MachineDetail' });
export type MachineDetail = z.infer<typeof machineDetailSchema>;

/** A thread and where it is. */
export const placedThreadSchema = threadSummarySchema
  .extend({ node: nodeNameSchema })
  .meta({ id: 'PlacedThread' });
export type PlacedThread = z.infer<typeof placedThreadSchema>;

/** Who is logged in. */
export const sessionSchema = z
  .object({
    role: z.enum(['viewer', 'operator']),
    name: z.string(),
    expiresAt: timeSchema.nullable().describe('Null: it does not.'),
  })
  .meta({ id: 'Session' });
export type SessionJson = z.infer<typeof sessionSchema>;

/** Something that was changed, or refused, through the gateway. */
export const auditRecordSchema = z
  .object({
    at: timeSchema,
    role: z.enum(['viewer', 'operator', 'node', 'nobody']),
    name: z.string().describe('Of whoever asked.'),
    address: z.string(),
    action: z
      .string()
      .describe('`POST /api/nodes/build-1/threads`, `link.open`, `login.refused` …'),
    node: nodeNameSchema.nullable(),
    thread: z.string().nullable(),
    status: z.int().nullable().describe('HTTP status of the answer; null where there is none.'),
  })
  .meta({ id: 'AuditRecord' });
export type AuditRecord = z.infer<typeof auditRecordSchema>;
