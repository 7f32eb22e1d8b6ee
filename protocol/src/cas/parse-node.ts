import { Problem } from '../problem/index.js';
import { payloadFields } from './canonical.js';
import { type Node, payloadSchemas } from './node-types.js';

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Stored bytes → node. Looks at the outline only: whether they are the ones their hash promises is not looked at.
 * Throws store-damaged for bytes that no node has, invalid-node for a type this version does not know.
 */
export function parseNode(bytes: Uint8Array): Node {
  const value = parseJson(bytes);
  if (!isRecord(value) || !isRecord(value.payload) || !Array.isArray(value.refs)) {
    throw damaged('they are not {type, payload, refs}');
  }
  const { type } = value;
  if (typeof type !== 'string') throw damaged('they have no type');
  if (!Object.hasOwn(payloadSchemas, type)) {
    throw new Problem(
      'invalid-node',
      `Node type "${type.slice(0, 40)}" is not known; a newer version of uwf may have written it.`,
    );
  }
  const node = value as unknown as Node;
  for (const field of payloadFields(node.type)) {
    if (!Object.hasOwn(node.payload, field)) throw damaged(`${type} has no field ${field}`);
  }
  return node;
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(bytes));
  } catch (error) {
    throw damaged('they are not JSON', error);
  }
}

function damaged(why: string, cause?: unknown): Problem {
  return new Problem(
    'store-damaged',
    `Bytes of a node cannot be read: ${why}. Restore the store from a copy; other nodes can still be read.`,
    { cause },
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
