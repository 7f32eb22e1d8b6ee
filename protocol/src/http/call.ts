import type { z } from 'zod';
import type { Route } from '../api/index.js';
import { Problem } from '../problem/index.js';
import { readJsonBody } from './json-body.js';
import { requireMediaType } from './upload.js';

/** Faults of a request that are worth naming. */
const FAULTS_SHOWN_MAX = 20;
const FAULT_MAX_CHARACTERS = 200;

type Out<T> = T extends z.ZodType ? z.output<T> : null;

/** A request that was checked against its route. */
export type Call<R extends Route<unknown>> = {
  params: Out<R['params']>;
  query: Out<R['query']>;
  headers: Out<R['headers']>;
  body: R['body'] extends { schema: infer S } ? Out<S> : null;
};

/** What the handler of a route gives: the JSON that the route promises, or a whole response. */
export type Answer<R extends Route<unknown>> = R['response'] extends {
  type: 'json';
  schema: infer S;
}
  ? Out<S> | Response
  : Response;

/** What a router found in a request. `queries`: every value of each name. */
export type Found = {
  request: Request;
  params: Readonly<Record<string, string>>;
  queries: Readonly<Record<string, readonly string[]>>;
  headers: Readonly<Record<string, string>>;
};

/**
 * Checks a request against its route, in this order: ids, query, headers, body. Of an upload only the type is looked at, and
 * nothing is read. Throws invalid-id, invalid-argument (with the faults by place), unsupported-media-type, too-large.
 */
export async function checkCall<R extends Route<unknown>>(
  route: R,
  { request, params, queries, headers }: Found,
  bodyMaxBytes: number,
): Promise<Call<R>> {
  const call = {
    params: check('invalid-id', 'path', route.params, params),
    query: check('invalid-argument', 'query', route.query, singles(queries)),
    headers: check('invalid-argument', 'headers', route.headers, headers),
    body: await bodyOf(route, request, bodyMaxBytes),
  };
  return call as Call<R>;
}

async function bodyOf(
  { method, body, upload }: Route<unknown>,
  request: Request,
  maxBytes: number,
) {
  if (method !== 'POST') return null;
  if (upload !== null) {
    // The handler reads it, as it comes.
    requireMediaType(request, upload);
    return null;
  }
  const json = await readJsonBody(request, maxBytes);
  if (body === null) return null;
  if (json === undefined && !body.optional)
    throw new Problem('invalid-argument', 'The request has no body; send JSON.');
  return check('invalid-argument', 'body', body.schema, json ?? {});
}

function check(
  code: 'invalid-id' | 'invalid-argument',
  where: string,
  schema: z.ZodType | null,
  value: unknown,
): unknown {
  if (schema === null) return null;
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const errors = result.error.issues.slice(0, FAULTS_SHOWN_MAX).map(({ path, message }) => ({
    path: [where, ...path.map(String)].join('.').slice(0, FAULT_MAX_CHARACTERS),
    message: message.slice(0, FAULT_MAX_CHARACTERS),
  }));
  const first = errors[0];
  throw new Problem(code, `The request is not valid at ${first?.path}: ${first?.message}.`, {
    details: { errors },
  });
}

/** A name given once is its value. */
function singles(queries: Found['queries']): Record<string, string | readonly string[]> {
  return Object.fromEntries(
    Object.entries(queries).map(([name, values]) => [
      name,
      values.length === 1 ? values[0]! : values,
    ]),
  );
}
