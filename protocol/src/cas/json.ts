import { JSON_MAX_DEPTH } from '../limits.js';
import { Problem } from '../problem/index.js';

/**
 * The value as canonical JSON can carry it: text well-formed, `undefined` left out (null in arrays), -0 as 0.
 * What is clean already comes back as the same object; nothing is changed in place.
 * `where` names the value in the message. Throws invalid-node for what JSON has no form for (NaN, functions, class
 * instances, cycles) and for nesting deeper than JSON_MAX_DEPTH.
 */
export function cleanJson(value: unknown, where: string, maxDepth = JSON_MAX_DEPTH): unknown {
  return clean(value, maxDepth, where);
}

function clean(value: unknown, room: number, where: string): unknown {
  switch (typeof value) {
    case 'string':
      return value.isWellFormed() ? value : value.toWellFormed();
    case 'boolean':
      return value;
    case 'number':
      if (!Number.isFinite(value)) throw notJson(where, String(value));
      return value === 0 ? 0 : value;
    case 'object':
      if (value === null) return null;
      if (room === 0) {
        throw new Problem(
          'invalid-node',
          `${where} is nested deeper than ${JSON_MAX_DEPTH} levels; flatten it.`,
        );
      }
      if (Array.isArray(value)) return cleanArray(value, room - 1, where);
      if (!isPlain(value)) throw notJson(where, value.constructor?.name ?? 'an object');
      return cleanObject(value as Record<string, unknown>, room - 1, where);
    default:
      throw notJson(where, typeof value);
  }
}

function cleanArray(array: readonly unknown[], room: number, where: string): unknown[] {
  let copy: unknown[] | null = null;
  for (let index = 0; index < array.length; index += 1) {
    const before = array[index];
    const after = before === undefined ? null : clean(before, room, where);
    if (!Object.is(before, after)) {
      copy ??= array.slice();
      copy[index] = after;
    }
  }
  return copy ?? (array as unknown[]);
}

function cleanObject(
  object: Record<string, unknown>,
  room: number,
  where: string,
): Record<string, unknown> {
  const keys = Object.keys(object);
  let entries: [string, unknown][] | null = null;
  for (const [index, key] of keys.entries()) {
    const before = object[key];
    const after = before === undefined ? undefined : clean(before, room, where);
    const name = key.isWellFormed() ? key : key.toWellFormed();
    if (entries === null && (!Object.is(before, after) || before === undefined || name !== key)) {
      entries = keys.slice(0, index).map((earlier) => [earlier, object[earlier]]);
    }
    if (entries !== null && after !== undefined) entries.push([name, after]);
  }
  // fromEntries defines properties, so a key `__proto__` stays data.
  return entries === null ? object : Object.fromEntries(entries);
}

/** Objects of another realm (a bundle's) count as plain too. */
function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function notJson(where: string, what: string): Problem {
  return new Problem('invalid-node', `${where} holds ${what}, which JSON has no form for.`);
}
