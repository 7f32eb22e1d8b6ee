import type { Allow } from '../../link/index.js';
import type { Route } from '../route.js';
import type { GatewayRoutes } from '../routes/gateway.js';
import type { Routes } from '../routes/routes.js';

/*
 * What a client must know of the route tables at run time. The tables themselves carry every schema, and zod with them: 36 kB
 * of a page, compressed. The compiler holds each line below to its route, and asks for every route.
 */

/** Routes by the name of the operation. */
export type RouteTable = Record<string, Route<Allow | null>>;

/** `GET /api/node json`: method, path, what the answer is, and the media type of what is uploaded. */
export type Operations<T extends RouteTable> = {
  readonly [K in keyof T]: `${T[K]['method']} ${T[K]['path']} ${T[K]['response']['type']}${UploadOf<T[K]>}`;
};

type UploadOf<R extends RouteTable[string]> = R['upload'] extends string ? ` ${R['upload']}` : '';

/** What a gateway hands on to the node that has the thread, without being told which. */
export type HostedRoutes = {
  [K in keyof Routes as Routes[K]['path'] extends `/api/threads/:id${string}`
    ? K
    : never]: Routes[K];
};

const hostedOperations: Operations<HostedRoutes> = {
  getThread: 'GET /api/threads/:id json',
  removeThread: 'DELETE /api/threads/:id json',
  listThreadSteps: 'GET /api/threads/:id/steps json',
  followThread: 'GET /api/threads/:id/events events',
  getThreadLog: 'GET /api/threads/:id/log lines',
  pauseThread: 'POST /api/threads/:id/pause json',
  resumeThread: 'POST /api/threads/:id/resume json',
  retryThread: 'POST /api/threads/:id/retry json',
  forkThread: 'POST /api/threads/:id/fork json',
  getLineage: 'GET /api/threads/:id/lineage json',
  diffThreads: 'GET /api/threads/:id/diff/:other json',
  killThread: 'POST /api/threads/:id/kill json',
};

export const nodeOperations: Operations<Routes> = {
  ...hostedOperations,
  getNode: 'GET /api/node json',
  followNode: 'GET /api/events events',
  listWorkflows: 'GET /api/workflows json',
  addWorkflow: 'POST /api/workflows json',
  checkWorkflow: 'POST /api/workflows/check json',
  getWorkflow: 'GET /api/workflows/:name json',
  getWorkflowHistory: 'GET /api/workflows/:name/history json',
  getWorkflowSource: 'GET /api/workflows/:name/source json',
  rollbackWorkflow: 'POST /api/workflows/:name/rollback json',
  removeWorkflow: 'DELETE /api/workflows/:name json',
  listThreads: 'GET /api/threads json',
  startThread: 'POST /api/threads json',
  getStep: 'GET /api/steps/:hash json',
  getStepContent: 'GET /api/steps/:hash/content content',
  listCas: 'GET /api/cas json',
  putCas: 'POST /api/cas json',
  getCas: 'GET /api/cas/:hash json',
  getCasRefs: 'GET /api/cas/:hash/refs json',
  removeCas: 'DELETE /api/cas/:hash json',
  collectGarbage: 'POST /api/cas/gc lines',
  verifyCas: 'POST /api/cas/verify lines',
  exportPack: 'GET /api/packs/:threadId content',
  importPack: 'POST /api/packs lines application/vnd.uncaged.pack',
};

export const gatewayOperations: Operations<GatewayRoutes & HostedRoutes> = {
  ...hostedOperations,
  logIn: 'POST /api/session json',
  getSession: 'GET /api/session json',
  logOut: 'DELETE /api/session json',
  listNodes: 'GET /api/nodes json',
  getMachine: 'GET /api/nodes/:node json',
  forgetNode: 'DELETE /api/nodes/:node json',
  listAllThreads: 'GET /api/threads json',
  startSomewhere: 'POST /api/threads json',
  followAll: 'GET /api/events events',
  listAudit: 'GET /api/audit json',
};
