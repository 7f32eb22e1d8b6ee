import { z } from 'zod';
import { hashSchema } from '../../ids/index.js';
import { casEntrySchema, casNodeSchema, nodeTypeSchema } from '../cas.js';
import { listSchema, pageFields } from '../list.js';
import { route } from '../route.js';

const params = z.object({ hash: hashSchema });
const hashCursor = hashSchema.optional().describe('`nextCursor` of the page before.');

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
} as const;
