import { z } from 'zod';
import { hashSchema, workflowNameSchema } from '../../ids/index.js';
import { DEFINITION_MAX_BYTES } from '../../limits.js';
import { listSchema } from '../list.js';
import { route } from '../route.js';
import {
  findingSchema,
  workflowDetailSchema,
  workflowEntrySchema,
  workflowHistoryItemSchema,
} from '../workflow.js';

const params = z.object({ name: workflowNameSchema });
const source = z
  .string()
  .max(DEFINITION_MAX_BYTES)
  .describe('A workflow file, YAML or JSON, as text.');

export const workflowRoutes = {
  listWorkflows: route({
    method: 'GET',
    path: '/api/workflows',
    summary: 'Workflows that can be started by name',
    allow: 'read',
    response: { type: 'json', status: 200, schema: listSchema(workflowEntrySchema) },
  }),
  addWorkflow: route({
    method: 'POST',
    path: '/api/workflows',
    summary: 'Registers a definition as the new version of its name',
    allow: 'publish',
    body: {
      schema: z.strictObject({
        source,
        name: workflowNameSchema.optional().describe('Must be what the file says.'),
      }),
      optional: false,
    },
    response: {
      type: 'json',
      status: 201,
      schema: z.object({
        name: workflowNameSchema,
        hash: hashSchema,
        previous: hashSchema.nullable().describe('Head before; null for a new name.'),
        change: z.enum(['added', 'updated', 'unchanged']),
        findings: z.array(findingSchema).describe('Warnings.'),
      }),
    },
  }),
  checkWorkflow: route({
    method: 'POST',
    path: '/api/workflows/check',
    summary: 'Looks for mistakes in a definition; nothing is stored',
    allow: 'read',
    body: { schema: z.strictObject({ source }), optional: false },
    response: {
      type: 'json',
      status: 200,
      schema: z.object({
        ok: z.boolean().describe('No errors; warnings do not count.'),
        name: z.string().nullable(),
        findings: z.array(findingSchema),
      }),
    },
  }),
  getWorkflow: route({
    method: 'GET',
    path: '/api/workflows/:name',
    summary: 'One workflow: roles, edges, earlier versions',
    allow: 'read',
    params,
    response: { type: 'json', status: 200, schema: workflowDetailSchema },
  }),
  getWorkflowHistory: route({
    method: 'GET',
    path: '/api/workflows/:name/history',
    summary: 'Versions of a name, the current one first',
    allow: 'read',
    params,
    response: { type: 'json', status: 200, schema: listSchema(workflowHistoryItemSchema) },
  }),
  getWorkflowSource: route({
    method: 'GET',
    path: '/api/workflows/:name/source',
    summary: 'The text it was written as, with its comments',
    allow: 'read',
    params,
    response: {
      type: 'json',
      status: 200,
      schema: z.object({ name: z.string(), hash: hashSchema, source: z.string() }),
    },
  }),
  rollbackWorkflow: route({
    method: 'POST',
    path: '/api/workflows/:name/rollback',
    summary: 'Makes the version before, or a given one, the current one',
    allow: 'publish',
    params,
    body: { schema: z.strictObject({ hash: hashSchema.optional() }), optional: true },
    response: {
      type: 'json',
      status: 200,
      schema: z.object({ name: z.string(), hash: hashSchema, previous: hashSchema }),
    },
  }),
  removeWorkflow: route({
    method: 'DELETE',
    path: '/api/workflows/:name',
    summary: 'Takes a name out of the registry; its versions stay in the store',
    allow: 'publish',
    params,
    response: {
      type: 'json',
      status: 200,
      schema: z.object({ name: z.string(), removed: z.literal(true) }),
    },
  }),
} as const;
