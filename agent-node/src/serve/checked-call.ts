import type { Route } from '@uncaged/protocol/api';
import { type Call, checkCall } from '@uncaged/protocol/http';
import type { Allow } from '@uncaged/protocol/link';
import type { ServeContext, Serving } from './context.js';

/** A request, checked against its line of the route table. Throws what `checkCall` does. */
export function checkedCall<R extends Route<Allow | null>>(
  route: R,
  c: ServeContext,
  { bodyMaxBytes }: Pick<Serving, 'bodyMaxBytes'>,
): Promise<Call<R>> {
  const found = {
    request: c.req.raw,
    params: c.req.param() as Record<string, string>,
    queries: c.req.queries(),
    headers: c.req.header(),
  };
  return checkCall(route, found, bodyMaxBytes);
}

/** What a list or a state looks like now, nobody may keep. */
export function json(value: unknown, status = 200, headers: Record<string, string> = {}): Response {
  return Response.json(value, { status, headers: { 'cache-control': 'no-store', ...headers } });
}
