import type { z } from 'zod';
import type { Allow } from '../link/index.js';

/**
 * One line of the REST API. Both ends read it: the node routes, checks and documents by it, clients take their types from it.
 * Null = there is none.
 */
export type Route<A = Allow> = {
  method: 'GET' | 'POST' | 'DELETE';
  /** With `:name` where a parameter stands. */
  path: `/api/${string}`;
  /** For people, in the reference. */
  summary: string;
  /** What a node must allow, and who asks have, to be served; null: asked without a token (only at a gateway). */
  allow: A;
  params: z.ZodObject | null;
  query: z.ZodObject | null;
  /** Request headers that mean something, in lower case. */
  headers: z.ZodObject | null;
  /** JSON. `optional`: nothing at all stands for `{}`. */
  body: { schema: z.ZodType; optional: boolean } | null;
  /** Media type of a body that is no JSON: it is streamed, of any length, and `body` is null. */
  upload: string | null;
  response: RouteResponse;
};

export type RouteResponse =
  | { type: 'json'; status: 200 | 201 | 202; schema: z.ZodType }
  /** Server-sent events: name of the event → its data. Names that are not listed carry an `Event`. */
  | { type: 'events'; status: 200; schema: z.ZodType }
  /** A JSON document a line. */
  | { type: 'lines'; status: 200; schema: z.ZodType }
  /** Text or bytes, by ranges. */
  | { type: 'content'; status: 200; schema: z.ZodType };

type Optional = 'params' | 'query' | 'headers' | 'body' | 'upload';

type Given = Pick<Route<Allow | null>, 'method' | 'path' | 'summary' | 'allow' | 'response'> &
  Partial<Pick<Route, Optional>>;

type Filled<T extends Given> = Omit<T, Optional> & {
  [K in Optional]: T extends Record<K, infer V> ? V : null;
};

/** Keeps the exact types of a route's schemas; what is left out becomes null. */
export function route<const T extends Given>(given: T): Filled<T> {
  return {
    params: null,
    query: null,
    headers: null,
    body: null,
    upload: null,
    ...given,
  } as Filled<T>;
}
