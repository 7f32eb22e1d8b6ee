import type { z } from 'zod';
import { type Hash, hashSchema } from '../ids/index.js';
import { JSON_MAX_DEPTH } from '../limits.js';
import { Problem } from '../problem/index.js';
import { createNode, deriveRefs } from './create-node.js';
import { cleanJson } from './json.js';
import { type Node, type NodeType, type Payload, payloadSchemas } from './node-types.js';

/** The node and its payload, around a field of JSON_MAX_DEPTH. */
const OUTER_LEVELS = 2;

/**
 * A node that came from elsewhere (`cas put --node`, a pack), checked against its schema and returned in clean form.
 * `refs` may be absent; when given they must be what the payload says, plus hashes that stand in a state's meta or a
 * start's inputs (casRef values, which only the role's schema knows). Throws invalid-node that names the field.
 */
export function validateNode(value: unknown): Node {
  const node = cleanJson(value, 'node', JSON_MAX_DEPTH + OUTER_LEVELS);
  if (typeof node !== 'object' || node === null || Array.isArray(node)) {
    throw invalid('it must be an object {type, payload, refs}');
  }
  const { type, payload, refs, ...rest } = node as Record<string, unknown>;
  const unknown = Object.keys(rest)[0];
  if (unknown !== undefined) throw invalid(`it has no field "${unknown.slice(0, 40)}"`);
  if (typeof type !== 'string' || !Object.hasOwn(payloadSchemas, type)) {
    throw invalid(`type must be one of ${Object.keys(payloadSchemas).join(', ')}`);
  }
  const result = payloadSchemas[type as NodeType].safeParse(payload);
  if (!result.success) throw invalid(describeIssues(result.error));
  // Not `result.data`: zod drops a key `__proto__` from free JSON.
  return checked(type as NodeType, payload as Payload<NodeType>, refs);
}

function checked(type: NodeType, payload: Payload<NodeType>, refs: unknown): Node {
  if (refs === undefined) return createNode(type, payload);
  const given = hashSchema.array().safeParse(refs);
  if (!given.success) throw invalid('refs must be an array of hashes');
  const derived = new Set(deriveRefs(type, payload));
  const extra = given.data.filter((ref) => !derived.has(ref));
  const allowed = extra.length === 0 ? extra : textsIn(freeJson(type, payload));
  for (const ref of extra) {
    if (!allowed.includes(ref)) throw invalid(`refs has ${ref}, which its payload does not hold`);
  }
  const node = createNode(type, payload, extra);
  if (JSON.stringify(node.refs) !== JSON.stringify(given.data)) {
    throw invalid(
      `refs must be ${JSON.stringify(node.refs)}: all hashes of the payload, once, ascending`,
    );
  }
  return node;
}

function freeJson(type: NodeType, payload: Payload<NodeType>): unknown {
  if (type === 'state') return (payload as Payload<'state'>).meta;
  if (type === 'start') return (payload as Payload<'start'>).inputs;
  return null;
}

function textsIn(value: unknown): Hash[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}

function describeIssues(error: z.ZodError): string {
  return error.issues
    .slice(0, 3)
    .map(({ path, message }) => `${['payload', ...path].join('.')}: ${message}`)
    .join('; ');
}

function invalid(why: string): Problem {
  return new Problem('invalid-node', `Not a valid node: ${why}.`);
}
