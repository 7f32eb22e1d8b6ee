import type { Hash } from '../ids/index.js';
import { cleanJson } from './json.js';
import { type Node, type NodeType, type Payload, refFields } from './node-types.js';

/**
 * A node with its derived refs. `casRefs`: hashes that values marked `casRef` hold (in a meta or in inputs).
 * Text is made well-formed. Throws invalid-node for what JSON cannot carry and for a field nested too deep.
 * The payload's shape is the caller's word (types); use `validateNode` for what came from elsewhere.
 */
export function createNode<T extends NodeType>(
  type: T,
  payload: Payload<T>,
  casRefs: readonly Hash[] = [],
): Node<T> {
  const clean = cleanPayload(type, payload);
  return { type, payload: clean, refs: deriveRefs(type, clean, casRefs) } as unknown as Node<T>;
}

/** Unique, ascending, without nulls. */
export function deriveRefs<T extends NodeType>(
  type: T,
  payload: Payload<T>,
  casRefs: readonly Hash[] = [],
): Hash[] {
  const refs = [...casRefs];
  const values = payload as Record<string, Hash | readonly Hash[] | null>;
  for (const field of refFields[type]) {
    const value = values[field];
    if (typeof value === 'string') refs.push(value);
    else if (value != null) refs.push(...value);
  }
  if (refs.length < 2) return refs;
  refs.sort();
  return refs.filter((ref, index) => ref !== refs[index - 1]);
}

function cleanPayload<T extends NodeType>(type: T, payload: Payload<T>): Payload<T> {
  const values = payload as Record<string, unknown>;
  let copy: Record<string, unknown> | null = null;
  for (const field of Object.keys(values)) {
    const before = values[field];
    const after =
      typeof before === 'string' && before.isWellFormed()
        ? before
        : cleanJson(before, `${type}.${field}`);
    if (!Object.is(before, after)) {
      copy ??= { ...values };
      copy[field] = after;
    }
  }
  return (copy ?? values) as Payload<T>;
}
