import { z } from 'zod';
import { labelsSchema, nodeNameSchema, threadIdSchema } from '../../ids/index.js';
import { placedEventSchema } from '../gateway-event.js';
import { listSchema, pageFields } from '../list.js';
import {
  auditRecordSchema,
  machineDetailSchema,
  machineSchema,
  placedThreadSchema,
  sessionSchema,
} from '../machine.js';
import { route } from '../route.js';
import { nodeRoutes } from './node.js';
import { startSchema, threadRoutes } from './threads.js';

const TOKEN_MAX_CHARACTERS = 4096;

const node = z.object({ node: nodeNameSchema });
const unreachable = z
  .array(nodeNameSchema)
  .describe('Known nodes that did not answer: what they have is missing here.');

/**
 * What a gateway answers itself. Besides, `/api/nodes/:node/*` is a node's `/api/*`, and `/api/threads/:id/*` is that of the
 * node which has the thread.
 */
export const gatewayRoutes = {
  logIn: route({
    method: 'POST',
    path: '/api/session',
    summary: 'Logs a browser in: a token becomes a cookie',
    allow: null,
    body: {
      schema: z.strictObject({ token: z.string().min(1).max(TOKEN_MAX_CHARACTERS) }),
      optional: false,
    },
    response: { type: 'json', status: 200, schema: sessionSchema },
  }),
  getSession: route({
    method: 'GET',
    path: '/api/session',
    summary: 'Who is logged in',
    allow: 'read',
    response: { type: 'json', status: 200, schema: sessionSchema },
  }),
  logOut: route({
    method: 'DELETE',
    path: '/api/session',
    summary: 'Forgets the cookie',
    allow: null,
    response: { type: 'json', status: 200, schema: z.object({ loggedOut: z.literal(true) }) },
  }),
  listNodes: route({
    method: 'GET',
    path: '/api/nodes',
    summary: 'Every node the gateway knows, by name',
    allow: 'read',
    response: { type: 'json', status: 200, schema: listSchema(machineSchema) },
  }),
  getMachine: route({
    method: 'GET',
    path: '/api/nodes/:node',
    summary: 'One node, with what it last said of itself',
    allow: 'read',
    params: node,
    response: { type: 'json', status: 200, schema: machineDetailSchema },
  }),
  forgetNode: route({
    method: 'DELETE',
    path: '/api/nodes/:node',
    summary: 'Forgets a node that is offline; nothing on it changes',
    allow: 'control',
    params: node,
    response: {
      type: 'json',
      status: 200,
      schema: z.object({ name: nodeNameSchema, removed: z.literal(true) }),
    },
  }),
  listAllThreads: route({
    method: 'GET',
    path: '/api/threads',
    summary: 'Threads of every node, newest first',
    allow: 'read',
    query: threadRoutes.listThreads.query,
    response: {
      type: 'json',
      status: 200,
      schema: listSchema(placedThreadSchema).extend({ unreachable }),
    },
  }),
  startSomewhere: route({
    method: 'POST',
    path: '/api/threads',
    summary: 'Starts a thread on a node: the named one, or the least busy one that fits',
    allow: 'run',
    headers: threadRoutes.startThread.headers,
    body: {
      schema: startSchema
        .extend({
          node: nodeNameSchema.nullable().default(null),
          labels: labelsSchema.default({}).describe('What the node must have, without `node`.'),
        })
        .meta({ id: 'StartSomewhere' }),
      optional: false,
    },
    response: {
      type: 'json',
      status: 201,
      schema: z.object({ threadId: threadIdSchema, node: nodeNameSchema }),
    },
  }),
  followAll: route({
    method: 'GET',
    path: '/api/events',
    summary: 'Everything that happens on every node: a snapshot, then events; nothing is replayed',
    allow: 'read',
    query: nodeRoutes.followNode.query,
    response: { type: 'events', status: 200, schema: placedEventSchema },
  }),
  listAudit: route({
    method: 'GET',
    path: '/api/audit',
    summary: 'What was changed or refused through this gateway, newest first',
    allow: 'control',
    query: z.strictObject({
      ...pageFields,
      cursor: z
        .string()
        .regex(/^\d{1,15}$/)
        .optional()
        .describe('`nextCursor` of the page before.'),
    }),
    response: { type: 'json', status: 200, schema: listSchema(auditRecordSchema) },
  }),
} as const;
export type GatewayRoutes = typeof gatewayRoutes;
export type GatewayRouteName = keyof GatewayRoutes;
