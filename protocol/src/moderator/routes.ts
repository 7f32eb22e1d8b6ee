import { END } from '../ids/index.js';
import { type Definition, toFileName } from '../workflow/index.js';

type Path = (string | number)[];

/** One way from a role (or the start) to a role (or the end): an edge of the graph, or a rule. */
export type Route = {
  from: string;
  to: string;
  prompt: string | null;
  /** The edge's key; null for a rule. */
  status: string | null;
  /** Of the edge or the rule in the file. */
  path: Path;
  fromPath: Path;
  toPath: Path;
};

/** Every way of a definition, in the order of the file. */
export function routesOf(definition: Definition): Route[] {
  if (definition.moderator !== null) {
    return definition.moderator.map(({ from, to, prompt }, index) => {
      const path = ['moderator', index];
      return {
        from,
        to,
        prompt,
        status: null,
        path,
        fromPath: [...path, 'from'],
        toPath: [...path, 'to'],
      };
    });
  }
  return Object.entries(definition.graph ?? {}).flatMap(([from, edges]) =>
    Object.entries(edges).map(([status, edge]) => {
      const fromPath = ['graph', toFileName(from)];
      const path = [...fromPath, status];
      return {
        from,
        to: edge.role,
        prompt: edge.prompt,
        status,
        path,
        fromPath,
        toPath: [...path, 'role'],
      };
    }),
  );
}

/** Names that can be reached from `start` along the routes, `start` included. */
export function reachableFrom(start: string, routes: readonly Route[]): Set<string> {
  return closure(
    start,
    routes,
    ({ from }) => from,
    ({ to }) => to,
  );
}

/** Names from which the end can be reached. */
export function leadingToEnd(routes: readonly Route[]): Set<string> {
  return closure(
    END,
    routes,
    ({ to }) => to,
    ({ from }) => from,
  );
}

function closure(
  start: string,
  routes: readonly Route[],
  near: (route: Route) => string,
  far: (route: Route) => string,
): Set<string> {
  const next = new Map<string, string[]>();
  for (const route of routes) {
    const known = next.get(near(route));
    if (known === undefined) next.set(near(route), [far(route)]);
    else known.push(far(route));
  }
  const found = new Set([start]);
  for (const name of found) for (const neighbour of next.get(name) ?? []) found.add(neighbour);
  return found;
}
