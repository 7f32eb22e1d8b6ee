import { problemSchema, type Route } from '../api/index.js';

const MEDIA_TYPES = {
  json: 'application/json',
  events: 'text/event-stream',
  lines: 'application/x-ndjson',
  content: 'text/plain',
} as const;

/** Bytes as they are, of any length: JSON Schema has no word for them, and needs none. */
const BINARY = {};

/** A route as the path object that an OpenAPI registry of zod schemas takes. */
export function openApiPath(given: Route<unknown>) {
  const { method, path, summary, allow, params, query, headers, body, upload, response } = given;
  const problem = { 'application/problem+json': { schema: problemSchema } };
  return {
    method: method.toLowerCase() as Lowercase<Route['method']>,
    path: path.replaceAll(/:(\w+)/g, '{$1}'),
    summary,
    description: allow === null ? 'Needs no token.' : `Needs \`${allow}\`.`,
    tags: [path.split('/')[2] ?? 'api'],
    request: {
      ...(params === null ? {} : { params }),
      ...(query === null ? {} : { query }),
      ...(headers === null ? {} : { headers }),
      ...(body === null
        ? {}
        : {
            body: {
              required: !body.optional,
              content: { 'application/json': { schema: body.schema } },
            },
          }),
      ...(upload === null
        ? {}
        : { body: { required: true, content: { [upload]: { schema: BINARY } } } }),
    },
    responses: {
      [response.status]: {
        description: 'As asked.',
        content: { [MEDIA_TYPES[response.type]]: { schema: response.schema } },
      },
      default: { description: 'A problem.', content: problem },
    },
  };
}
