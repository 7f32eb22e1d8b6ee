import { JSON_MAX_DEPTH } from '@uncaged/protocol/limits';

export type JsonObject = Record<string, unknown>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What is wrong with a parsed value as a meta, or null: it must be plain JSON that every reader takes. */
export function findJsonFault(value: unknown, depth = 0): string | null {
  if (depth > JSON_MAX_DEPTH) return `it is nested deeper than ${JSON_MAX_DEPTH} levels`;
  if (typeof value === 'number')
    return Number.isFinite(value) ? null : `${value} is not a JSON number`;
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return null;
  if (typeof value !== 'object') return `a ${typeof value} is not JSON`;
  for (const [key, member] of Object.entries(value)) {
    if (key === '__proto__') return 'the key __proto__ is not allowed';
    const fault = findJsonFault(member, depth + 1);
    if (fault !== null) return fault;
  }
  return null;
}
