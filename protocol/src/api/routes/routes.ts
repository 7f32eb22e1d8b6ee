import { casRoutes } from './cas.js';
import { nodeRoutes } from './node.js';
import { packRoutes } from './packs.js';
import { stepRoutes } from './steps.js';
import { threadRoutes } from './threads.js';
import { workflowRoutes } from './workflows.js';

/** The REST API of a node: everything it can be asked, by the name of the operation. */
export const routes = {
  ...nodeRoutes,
  ...workflowRoutes,
  ...threadRoutes,
  ...stepRoutes,
  ...casRoutes,
  ...packRoutes,
} as const;
export type Routes = typeof routes;
export type RouteName = keyof Routes;
