import canonicalize from 'canonicalize';
import { type Node, type NodeType, payloadSchemas } from './node-types.js';

const encoder = new TextEncoder();

/** Payload fields of each type in canonical order. */
const fieldsOf: ReadonlyMap<NodeType, readonly string[]> = new Map(
  Object.entries(payloadSchemas).map(([type, schema]) => [
    type as NodeType,
    Object.keys(schema.shape).sort(),
  ]),
);

export function payloadFields(type: NodeType): readonly string[] {
  return fieldsOf.get(type) ?? [];
}

/**
 * The bytes that are stored and hashed: RFC 8785 JSON of `{type, payload, refs}`, UTF-8. Node and payload have known
 * keys, so only free JSON inside them goes through `canonicalize`, which costs several times a `JSON.stringify`.
 * Expects what `createNode` or `parseNode` made; throws Error for anything else.
 */
export function canonicalBytes(node: Node): Uint8Array {
  const payload = node.payload as Record<string, unknown>;
  let fields = '';
  for (const name of payloadFields(node.type)) {
    fields += `${fields === '' ? '' : ','}"${name}":${json(payload[name], name)}`;
  }
  return encoder.encode(
    `{"payload":{${fields}},"refs":${json(node.refs, 'refs')},"type":"${node.type}"}`,
  );
}

function json(value: unknown, name: string): string {
  if (typeof value === 'string' && value.isWellFormed()) return JSON.stringify(value);
  if (value === null) return 'null';
  if (Array.isArray(value) && value.every(isWellFormedText)) return JSON.stringify(value);
  const text = canonicalize(value);
  if (text === undefined) throw new Error(`node field ${name} is missing`);
  return text;
}

function isWellFormedText(value: unknown): boolean {
  return typeof value === 'string' && value.isWellFormed();
}
