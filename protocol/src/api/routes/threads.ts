import { z } from 'zod';
import {
  agentNameSchema,
  hashSchema,
  roleNameSchema,
  threadIdSchema,
  workflowNameSchema,
} from '../../ids/index.js';
import { eventSchema } from '../event.js';
import { lineageSchema, threadDiffSchema } from '../history.js';
import { listSchema, pageFields } from '../list.js';
import { route } from '../route.js';
import { stepSchema } from '../step.js';
import {
  threadDetailSchema,
  threadOrderSchema,
  threadStatusSchema,
  threadSummarySchema,
} from '../thread.js';
import { lastEventId } from './node.js';

const SEARCH_MAX_CHARACTERS = 200;
const PATH_MAX_CHARACTERS = 4096;

const params = z.object({ id: threadIdSchema });
const count = z.int().positive().nullable().default(null);

/** Printable ASCII; made by the client, one per thing it wants done once. */
export const idempotencyKeySchema = z.string().regex(/^[\x21-\x7e]{1,200}$/);

const budgetSchema = z
  .strictObject({ tokens: count, usd: z.number().positive().nullable().default(null) })
  .nullable()
  .default(null);

const limitFields = { maxSteps: count, maxVisits: count, budget: budgetSchema };

export const startSchema = z
  .strictObject({
    workflow: z
      .union([workflowNameSchema, hashSchema])
      .describe('A name, or the hash of a version.'),
    prompt: z.string().default(''),
    inputs: z.record(z.string(), z.unknown()).nullable().default(null),
    workspace: z
      .string()
      .min(1)
      .max(PATH_MAX_CHARACTERS)
      .nullable()
      .default(null)
      .describe('Absolute path under one of config.workspaceRoots; null = one is made.'),
    agents: z
      .record(roleNameSchema, agentNameSchema)
      .default({})
      .describe('Who carries a role out.'),
    ...limitFields,
  })
  .meta({ id: 'StartThread' });
export type StartThread = z.infer<typeof startSchema>;

export const forkSchema = z
  .strictObject({
    fromStep: z
      .int()
      .nonnegative()
      .nullable()
      .default(null)
      .describe('Keeps the first so many steps; 0 = none. Not together with fromRole.'),
    fromRole: roleNameSchema
      .nullable()
      .default(null)
      .describe('Keeps everything up to and with the last step of this role.'),
    prompt: z.string().nullable().default(null).describe('Instead of the task of the next role.'),
    agents: z.record(roleNameSchema, agentNameSchema).default({}),
    workflow: z
      .union([workflowNameSchema, hashSchema])
      .nullable()
      .default(null)
      .describe('Another definition to go on with; null = the same version.'),
    ...limitFields,
  })
  .describe('Neither fromStep nor fromRole: all but the last step.')
  .meta({ id: 'ForkThread' });
export type ForkThread = z.infer<typeof forkSchema>;

const statusesSchema = z
  .string()
  .max(SEARCH_MAX_CHARACTERS)
  .transform((text) => text.split(','))
  .pipe(z.array(threadStatusSchema));

const ordered = { type: 'json', status: 202, schema: threadOrderSchema } as const;
const raise = {
  schema: z.strictObject(limitFields).describe('Limits to raise; null = as it is.'),
  optional: true,
} as const;

export const threadRoutes = {
  listThreads: route({
    method: 'GET',
    path: '/api/threads',
    summary: 'Threads, newest first',
    allow: 'read',
    query: z.strictObject({
      status: statusesSchema.optional().describe('One or several with commas.'),
      workflow: workflowNameSchema.optional(),
      q: z
        .string()
        .max(SEARCH_MAX_CHARACTERS)
        .optional()
        .describe('Beginning of the id, of the workflow, or of the prompt.'),
      key: idempotencyKeySchema
        .optional()
        .describe('The one thread that was started with this Idempotency-Key.'),
      ...pageFields,
      cursor: threadIdSchema.optional().describe('`nextCursor` of the page before.'),
    }),
    response: { type: 'json', status: 200, schema: listSchema(threadSummarySchema) },
  }),
  startThread: route({
    method: 'POST',
    path: '/api/threads',
    summary: 'Starts a thread',
    allow: 'run',
    headers: z.object({
      'idempotency-key': idempotencyKeySchema
        .optional()
        .describe('The same key and body again within 24 h give the same thread.'),
    }),
    body: { schema: startSchema, optional: false },
    response: {
      type: 'json',
      status: 201,
      schema: z.object({ threadId: threadIdSchema }),
    },
  }),
  getThread: route({
    method: 'GET',
    path: '/api/threads/:id',
    summary: 'One thread without its steps',
    allow: 'read',
    params,
    response: { type: 'json', status: 200, schema: threadDetailSchema },
  }),
  removeThread: route({
    method: 'DELETE',
    path: '/api/threads/:id',
    summary:
      'Forgets a thread that does not run, with those nested in it; their texts stay until they are collected',
    allow: 'control',
    params,
    response: {
      type: 'json',
      status: 200,
      schema: z.object({
        threadId: threadIdSchema,
        removed: z.literal(true),
        nested: z.int().nonnegative().describe('So many nested threads went with it.'),
      }),
    },
  }),
  listThreadSteps: route({
    method: 'GET',
    path: '/api/threads/:id/steps',
    summary: 'Steps of a thread, every attempt, in order',
    allow: 'read',
    params,
    query: z.strictObject({
      ...pageFields,
      cursor: z
        .string()
        .regex(/^\d{1,9}\.\d{1,9}$/)
        .optional()
        .describe('`nextCursor` of the page before.'),
    }),
    response: { type: 'json', status: 200, schema: listSchema(stepSchema) },
  }),
  followThread: route({
    method: 'GET',
    path: '/api/threads/:id/events',
    summary: 'What happens in a thread: from the beginning or the last event on, until it is over',
    allow: 'read',
    params,
    headers: lastEventId,
    response: { type: 'events', status: 200, schema: eventSchema },
  }),
  getThreadLog: route({
    method: 'GET',
    path: '/api/threads/:id/log',
    summary: 'Debug log of a thread so far',
    allow: 'read',
    params,
    response: {
      type: 'lines',
      status: 200,
      schema: z
        .object({
          tag: z.string().describe('Leads to the place in the code that wrote it.'),
          content: z.string(),
          timestamp: z.int().describe('ms since epoch'),
        })
        .meta({ id: 'LogRecord' }),
    },
  }),
  pauseThread: route({
    method: 'POST',
    path: '/api/threads/:id/pause',
    summary: 'Stops a thread after the step in flight',
    allow: 'control',
    params,
    body: { schema: z.strictObject({}), optional: true },
    response: ordered,
  }),
  resumeThread: route({
    method: 'POST',
    path: '/api/threads/:id/resume',
    summary: 'Goes on with a paused or interrupted thread',
    allow: 'control',
    params,
    body: raise,
    response: ordered,
  }),
  retryThread: route({
    method: 'POST',
    path: '/api/threads/:id/retry',
    summary: 'Tries the failed step of a thread again',
    allow: 'control',
    params,
    body: raise,
    response: ordered,
  }),
  forkThread: route({
    method: 'POST',
    path: '/api/threads/:id/fork',
    summary: 'A new thread with the first steps of this one, which goes on from there',
    allow: 'run',
    params,
    headers: z.object({ 'idempotency-key': idempotencyKeySchema.optional() }),
    body: { schema: forkSchema, optional: true },
    response: { type: 'json', status: 201, schema: z.object({ threadId: threadIdSchema }) },
  }),
  getLineage: route({
    method: 'GET',
    path: '/api/threads/:id/lineage',
    summary: 'Forks and nested threads around a thread, as a tree',
    allow: 'read',
    params,
    response: { type: 'json', status: 200, schema: lineageSchema },
  }),
  diffThreads: route({
    method: 'GET',
    path: '/api/threads/:id/diff/:other',
    summary: 'Two threads of this node, from the first step on that they do not share',
    allow: 'read',
    params: z.object({ id: threadIdSchema, other: threadIdSchema }),
    response: { type: 'json', status: 200, schema: threadDiffSchema },
  }),
  killThread: route({
    method: 'POST',
    path: '/api/threads/:id/kill',
    summary: 'Ends a thread with everything its agents started',
    allow: 'control',
    params,
    body: { schema: z.strictObject({}), optional: true },
    response: ordered,
  }),
} as const;
