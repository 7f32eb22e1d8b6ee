import { z } from 'zod';
import { hashSchema } from '../../ids/index.js';
import { OUTPUT_MAX_BYTES } from '../../limits.js';
import { route } from '../route.js';
import { stepDetailSchema } from '../trace.js';

const params = z.object({ hash: hashSchema });

export const stepRoutes = {
  getStep: route({
    method: 'GET',
    path: '/api/steps/:hash',
    summary: 'One step by its state node, with what its agent did',
    allow: 'read',
    params,
    response: { type: 'json', status: 200, schema: stepDetailSchema },
  }),
  getStepContent: route({
    method: 'GET',
    path: '/api/steps/:hash/content',
    summary: 'The whole text of a step, byte for byte, or a range of it',
    allow: 'read',
    params,
    query: z.strictObject({
      tail: z.coerce
        .number<string | number>()
        .int()
        .min(1)
        .max(OUTPUT_MAX_BYTES)
        .optional()
        .describe('The last so many bytes; as `Range: bytes=-n`.'),
    }),
    headers: z.object({
      range: z.string().optional().describe('One range of bytes.'),
      'if-range': z.string().optional(),
      'if-none-match': z.string().optional(),
    }),
    response: { type: 'content', status: 200, schema: z.string() },
  }),
} as const;
