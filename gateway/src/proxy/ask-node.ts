import { problemSchema } from '@uncaged/protocol/api';
import { formatPrincipal, PRINCIPAL_HEADER, type Principal } from '@uncaged/protocol/http';
import type { LinkBody, LinkHeaders } from '@uncaged/protocol/link';
import { isProblem, Problem } from '@uncaged/protocol/problem';
import { z } from 'zod';
import type { NodeLink } from '../links/index.js';
import { ANSWER_MAX_BYTES, FAULTS_MAX } from './limits.js';

export type Question<S extends z.ZodType> = {
  /** With its query. */
  path: string;
  /** JSON to POST; left out: GET. */
  body?: unknown;
  headers?: LinkHeaders | undefined;
  /** On whose behalf. */
  principal: Principal;
  /** What the answer must be like; unknown fields are dropped. */
  schema: S;
  limitMs: number;
  signal?: AbortSignal | undefined;
};

const OK_STATUS = 200;
const REDIRECT_STATUS = 300;
const UNAUTHORIZED_STATUS = 401;

/** Faults as this system says them; what a node says must not be able to nest, or to be large. */
const faultsSchema = z
  .array(
    z.record(
      z.string(),
      z.union([
        z.string(),
        z.number(),
        z.boolean(),
        z.null(),
        z.array(z.union([z.string(), z.number()])),
      ]),
    ),
  )
  .max(FAULTS_MAX);

/**
 * Asks a node something that the gateway reads itself. Throws the node's own problem when it answers with one; `node-failed`
 * for an answer that is none, is not as `schema` says or larger than `ANSWER_MAX_BYTES`; `node-timeout` when the whole of it
 * is not there within `limitMs`; `cancelled` by the signal; and what `GatewayMux.request` throws.
 */
export async function askNode<S extends z.ZodType>(
  link: NodeLink,
  { path, body, headers = [], principal, schema, limitMs, signal }: Question<S>,
): Promise<z.output<S>> {
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), limitMs);
  const bytes = body === undefined ? null : Buffer.from(JSON.stringify(body));
  try {
    const response = await link.mux.request({
      method: bytes === null ? 'GET' : 'POST',
      path,
      headers: [
        ...headers,
        ['accept', 'application/json'],
        ...(bytes === null ? [] : ([['content-type', 'application/json']] as LinkHeaders)),
        [PRINCIPAL_HEADER, formatPrincipal(principal)],
      ],
      body: bytes === null ? null : once(bytes),
      signal: signal === undefined ? deadline.signal : AbortSignal.any([deadline.signal, signal]),
    });
    const json = parse(await readWhole(response.body, link.name), link.name);
    const { status } = response;
    if (status < OK_STATUS || status >= REDIRECT_STATUS) throw problemOf(json, status, link.name);
    const parsed = schema.safeParse(json);
    if (parsed.success) return parsed.data;
    const at = parsed.error.issues[0]?.path.join('.').slice(0, FAULTS_MAX);
    throw failed(link.name, `is not what was asked for (at ${at || 'its top'})`, parsed.error);
  } catch (error) {
    if (deadline.signal.aborted && isProblem(error, 'cancelled'))
      throw new Problem('node-timeout', `${link.name} did not answer within ${limitMs} ms.`, {
        cause: error,
      });
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, void> {
  yield bytes;
}

async function readWhole(body: LinkBody | null, node: string): Promise<Uint8Array> {
  const rest = body === null ? new Uint8Array(0) : body.takeRest();
  if (rest !== null) return rest;
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop early calls off the rest.
  for await (const chunk of body!) {
    size += chunk.byteLength;
    if (size > ANSWER_MAX_BYTES) throw failed(node, `has more than ${ANSWER_MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

function parse(bytes: Uint8Array, node: string): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    // Not JSON, or not UTF-8.
    if (error instanceof SyntaxError || error instanceof TypeError)
      throw failed(node, 'is not JSON', error);
    throw error;
  }
}

function problemOf(json: unknown, status: number, node: string): Problem {
  const parsed = problemSchema.safeParse(json);
  // Whoever asks has been identified here; a node has no say in that.
  if (!parsed.success || status === UNAUTHORIZED_STATUS || parsed.data.code === 'unauthorized')
    return failed(node, `has the status ${status} and is no problem that is known here`);
  const { code, detail, errors } = parsed.data;
  const faults = faultsSchema.safeParse(errors);
  return new Problem(code, detail, faults.success ? { details: { errors: faults.data } } : {});
}

function failed(node: string, what: string, cause?: unknown): Problem {
  return new Problem(
    'node-failed',
    `The answer from ${node} ${what}; its version may not fit, and its log may say more.`,
    { cause },
  );
}
