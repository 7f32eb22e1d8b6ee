import { z } from 'zod';
import { threadIdSchema } from '../../ids/index.js';
import { route } from '../route.js';
import { importLineSchema } from '../store-work.js';

/** Everything of a thread in one file, to be read elsewhere. */
export const PACK_MEDIA_TYPE = 'application/vnd.uncaged.pack';

export const packRoutes = {
  exportPack: route({
    method: 'GET',
    path: '/api/packs/:threadId',
    summary: 'A thread with everything it is made of, as a pack',
    allow: 'read',
    params: z.object({ threadId: threadIdSchema }),
    response: { type: 'content', status: 200, schema: z.string() },
  }),
  importPack: route({
    method: 'POST',
    path: '/api/packs',
    summary: 'Takes in the thread of a pack, after hashing everything in it again',
    allow: 'publish',
    upload: PACK_MEDIA_TYPE,
    response: { type: 'lines', status: 200, schema: importLineSchema },
  }),
} as const;
