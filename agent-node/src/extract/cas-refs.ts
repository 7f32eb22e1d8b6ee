import { type Hash, hashSchema } from '@uncaged/protocol/ids';
import { isJsonObject, type JsonObject } from './json-value.js';
import {
  applicableSchemas,
  itemSchemas,
  propertySchemas,
  type SchemaScope,
} from './schema-walk.js';

export type CasAccess = {
  exists: (hash: Hash) => boolean;
  /** Stores text as content and gives its address. */
  put: (text: string) => Hash;
};

/**
 * Replaces the strings that the schema marks `casRef`: the address of something that exists is kept, any other text is
 * stored and its address put in its place. `meta` is valid against the schema and is not changed; `refs` are the
 * addresses, each once, in the order met.
 */
export function resolveCasRefs(
  meta: JsonObject,
  schema: JsonObject | null,
  cas: CasAccess,
): { meta: JsonObject; refs: Hash[] } {
  // Most schemas have none; then there is nothing to walk.
  if (schema === null || !JSON.stringify(schema).includes('"casRef"')) return { meta, refs: [] };
  const refs = new Set<Hash>();
  const resolve = (value: unknown, schemas: readonly unknown[]): unknown => {
    const scopes = applicableSchemas(schema, schemas, value);
    if (typeof value === 'string') return scopes.some(isMarked) ? toRef(value) : value;
    if (Array.isArray(value))
      return value.map((item, index) => resolve(item, itemSchemas(scopes, index)));
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [
        key,
        resolve(member, propertySchemas(scopes, key)),
      ]),
    );
  };
  const toRef = (text: string): Hash => {
    const known = hashSchema.safeParse(text).success && cas.exists(text);
    const hash = known ? text : cas.put(text);
    refs.add(hash);
    return hash;
  };
  return { meta: resolve(meta, [schema]) as JsonObject, refs: [...refs] };
}

const isMarked = (schema: SchemaScope) => schema.casRef === true;
