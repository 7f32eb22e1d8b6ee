import { gatewayRoutes, type Route, routes } from '@uncaged/protocol/api';
import type { Allow } from '@uncaged/protocol/link';

/** A route, at a path where it can be asked for. */
export type Place = {
  /** `startThread at the node`. */
  name: string;
  route: string;
  method: Route['method'];
  path: string;
  allow: Allow | null;
};

export const NODE = 'build-1';
/** Ids of nothing that exists. */
export const NO_THREAD = '01J0000000000000000000000A';
export const NO_HASH = '0123456789ABC';
const PARAMS: Readonly<Record<string, string>> = {
  node: NODE,
  id: NO_THREAD,
  other: NO_THREAD,
  threadId: NO_THREAD,
  hash: NO_HASH,
  name: 'no-such-workflow',
};

const THREADS = '/api/threads/:id';

/** A route's path with ids of nothing that exists. */
export function filled(path: string): string {
  return path.replaceAll(/:(\w+)/g, (_, name: string) => {
    const value = PARAMS[name];
    if (value === undefined) throw new Error(`give the parameter ${name} of ${path} a value here`);
    return value;
  });
}

function placesOf(
  table: Readonly<Record<string, Route<Allow | null>>>,
  where: string,
  place: (path: string) => string,
): Place[] {
  return Object.entries(table).map(([route, { method, path, allow }]) => ({
    name: `${route} ${where}`,
    route,
    method,
    path: filled(place(path)),
    allow,
  }));
}

const ofThreads = Object.fromEntries(
  Object.entries(routes).filter(([, { path }]) => path.startsWith(THREADS)),
);

/** Every route at every place where a gateway has it. */
export const GATEWAY_PLACES: readonly Place[] = [
  ...placesOf(gatewayRoutes, 'of the gateway', (path) => path),
  ...placesOf(routes, 'at its node', (path) => path.replace('/api', `/api/nodes/${NODE}`)),
  ...placesOf(ofThreads, 'at its thread', (path) => path),
];

/** The same of `uwf serve`, where a node's routes are also at their own place; a gateway's audit it does not keep. */
export const SERVE_PLACES: readonly Place[] = [
  ...placesOf(gatewayRoutes, 'of a gateway', (path) => path),
  ...placesOf(routes, 'at its node', (path) => path.replace('/api', `/api/nodes/${NODE}`)),
  ...placesOf(routes, 'as it is', (path) => path),
];

/** What a request must hold so that the route itself answers, and with which status, for ids of nothing that exists. */
export type Case = { status: number; body?: unknown };

/** Of every route, by name: one that is missing here fails the walk. */
export const CASES: Readonly<Record<string, Case>> = {
  logIn: { status: 401, body: { token: 'not-the-token-of-anybody' } },
  getSession: { status: 200 },
  logOut: { status: 200 },
  listNodes: { status: 200 },
  getMachine: { status: 200 },
  forgetNode: { status: 409 },
  listAllThreads: { status: 200 },
  startSomewhere: { status: 404, body: { workflow: 'no-such-workflow' } },
  followAll: { status: 200 },
  listAudit: { status: 200 },
  getNode: { status: 200 },
  followNode: { status: 200 },
  listWorkflows: { status: 200 },
  addWorkflow: { status: 422, body: { source: '{}' } },
  checkWorkflow: { status: 200, body: { source: '{}' } },
  getWorkflow: { status: 404 },
  getWorkflowHistory: { status: 404 },
  getWorkflowSource: { status: 404 },
  rollbackWorkflow: { status: 404, body: {} },
  removeWorkflow: { status: 404 },
  listThreads: { status: 200 },
  startThread: { status: 404, body: { workflow: 'no-such-workflow' } },
  getThread: { status: 404 },
  removeThread: { status: 404 },
  listThreadSteps: { status: 404 },
  followThread: { status: 404 },
  getThreadLog: { status: 404 },
  pauseThread: { status: 404, body: {} },
  resumeThread: { status: 404, body: {} },
  retryThread: { status: 404, body: {} },
  killThread: { status: 404, body: {} },
  getStep: { status: 404 },
  getStepContent: { status: 404 },
  listCas: { status: 200 },
  putCas: { status: 201, body: { text: 'x' } },
  getCas: { status: 404 },
  getCasRefs: { status: 404 },
  removeCas: { status: 404 },
  forkThread: { status: 404, body: {} },
  getLineage: { status: 404 },
  diffThreads: { status: 404 },
  exportPack: { status: 404 },
  collectGarbage: { status: 200, body: { dryRun: true } },
  verifyCas: { status: 200, body: {} },
  // The walk sends JSON; a pack has a type of its own.
  importPack: { status: 415, body: {} },
};
