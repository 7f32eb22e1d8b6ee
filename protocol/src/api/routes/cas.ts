import { z } from 'zod';
import { hashSchema } from '../../ids/index.js';
import { casEntrySchema, casNodeSchema, nodeTypeSchema } from '../cas.js';
import { listSchema, pageFields } from '../list.js';
import { route } from '../route.js';
import { gcLineSchema, verifyLineSchema } from '../store-work.js';

const params = z.object({ hash: hashSchema });
const hashCursor = hashSchema.optional().describe('`nextCursor` of the page before.');

const gcSchema = z.strictObject({
  graceMs: z
    .int()
    .nonnegative()
    .nullable()
    .default(null)
    .describe('What was touched later than this long ago stays, ms; null = an hour.'),
  dryRun: z.boolean().default(false),
  compact: z.boolean().default(false).describe('Writes the database file anew, without its gaps.'),
});

export const casRoutes = {
  listCas: route({
    method: 'GET',
    path: '/api/cas',
    summary: 'What is stored, by hash',
    allow: 'read',
    query: z.strictObject({
      type: nodeTypeSchema.optional(),
      ...pageFields,
      cursor: hashCursor,
    }),
    response: { type: 'json', status: 200, schema: listSchema(casEntrySchema) },
  }),
  putCas: route({
    method: 'POST',
    path: '/api/cas',
    summary: 'Stores a text',
    allow: 'control',
    body: { schema: z.strictObject({ text: z.string() }), optional: false },
    response: { type: 'json', status: 201, schema: z.object({ hash: hashSchema }) },
  }),
  getCas: route({
    method: 'GET',
    path: '/api/cas/:hash',
    summary: 'One node',
    allow: 'read',
    params,
    headers: z.object({ 'if-none-match': z.string().optional() }),
    response: { type: 'json', status: 200, schema: casNodeSchema },
  }),
  getCasRefs: route({
    method: 'GET',
    path: '/api/cas/:hash/refs',
    summary: 'What a node refers to, and page by page what refers to it',
    allow: 'read',
    params,
    query: z.strictObject({ ...pageFields, cursor: hashCursor }),
    response: {
      type: 'json',
      status: 200,
      schema: listSchema(casEntrySchema).extend({
        refs: z.array(hashSchema).describe('What it refers to; `items` refer to it.'),
      }),
    },
  }),
  removeCas: route({
    method: 'DELETE',
    path: '/api/cas/:hash',
    summary: 'Removes a node that nothing needs',
    allow: 'control',
    params,
    response: {
      type: 'json',
      status: 200,
      schema: z.object({ hash: hashSchema, removed: z.literal(true) }),
    },
  }),
  collectGarbage: route({
    method: 'POST',
    path: '/api/cas/gc',
    summary: 'Removes what nothing needs',
    allow: 'control',
    body: { schema: gcSchema, optional: true },
    response: { type: 'lines', status: 200, schema: gcLineSchema },
  }),
  verifyCas: route({
    method: 'POST',
    path: '/api/cas/verify',
    summary:
      'Hashes everything again; what is damaged is named, with the threads that need it, and put aside',
    allow: 'control',
    body: { schema: z.strictObject({}), optional: true },
    response: { type: 'lines', status: 200, schema: verifyLineSchema },
  }),
} as const;
