import { z } from 'zod';
import { threadIdSchema } from '../../ids/index.js';
import { eventSchema } from '../event.js';
import { nodeSchema } from '../node.js';
import { route } from '../route.js';

/** Threads whose text a node's stream carries, at most: each is asked for at every change. */
const LIVE_THREADS_MAX = 16;

export const lastEventId = z.object({
  'last-event-id': z
    .string()
    .max(128)
    .optional()
    .describe('`id` of the last event that was received.'),
});

/** `a,b` → thread ids. */
const threadIdsSchema = z
  .string()
  .max(LIVE_THREADS_MAX * 27)
  .transform((text) => text.split(',').filter((id) => id !== ''))
  .pipe(z.array(threadIdSchema).max(LIVE_THREADS_MAX));

export const nodeRoutes = {
  getNode: route({
    method: 'GET',
    path: '/api/node',
    summary: 'The node: name, version, labels, limits, threads by status, disk use',
    allow: 'read',
    response: { type: 'json', status: 200, schema: nodeSchema },
  }),
  followNode: route({
    method: 'GET',
    path: '/api/events',
    summary: 'Everything that happens on the node: a snapshot, then events; nothing is replayed',
    allow: 'read',
    query: z.strictObject({
      threads: threadIdsSchema
        .optional()
        .describe('Ids with commas: text of their step in flight comes too.'),
    }),
    response: { type: 'events', status: 200, schema: eventSchema },
  }),
} as const;
