import { isJsonObject, type JsonObject } from './json-value.js';

/** A schema object that applies to a value. */
export type SchemaScope = JsonObject;

/**
 * All schemas that apply to a value at the same place: the given ones, what they refer to, and those alternatives that
 * the value can belong to.
 */
export function applicableSchemas(
  root: JsonObject,
  schemas: readonly unknown[],
  value: unknown,
): SchemaScope[] {
  const found = new Set<SchemaScope>();
  const queue = [...schemas];
  for (const schema of queue) {
    if (!isJsonObject(schema) || found.has(schema)) continue;
    found.add(schema);
    if (typeof schema.$ref === 'string') queue.push(resolveRef(root, schema.$ref));
    queue.push(...listOf(schema.allOf));
    for (const branch of [...listOf(schema.oneOf), ...listOf(schema.anyOf)])
      if (canBe(root, branch, value)) queue.push(branch);
    if ('if' in schema) queue.push(schema[canBe(root, schema.if, value) ? 'then' : 'else']);
  }
  return [...found];
}

export function propertySchemas(scopes: readonly SchemaScope[], key: string): unknown[] {
  return scopes.flatMap((scope) => {
    const own = isJsonObject(scope.properties) && Object.hasOwn(scope.properties, key);
    const named = own ? [(scope.properties as JsonObject)[key]] : [];
    const patterns = isJsonObject(scope.patternProperties)
      ? Object.entries(scope.patternProperties)
      : [];
    const matching = patterns
      .filter(([pattern]) => new RegExp(pattern, 'u').test(key))
      .map(([, schema]) => schema);
    const direct = [...named, ...matching];
    return direct.length > 0 ? direct : [scope.additionalProperties, scope.unevaluatedProperties];
  });
}

export function itemSchemas(scopes: readonly SchemaScope[], index: number): unknown[] {
  return scopes.flatMap((scope) => {
    const prefix = listOf(scope.prefixItems);
    return index < prefix.length ? [prefix[index]] : [scope.items];
  });
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** `#`, `#/$defs/name` and the like; other documents are not known. */
export function resolveRef(root: JsonObject, ref: string): unknown {
  if (!ref.startsWith('#')) return undefined;
  let current: unknown = root;
  for (const part of ref.split('/').slice(1)) {
    const key = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, key))
      return undefined;
    current = (current as JsonObject)[key];
  }
  return current;
}

/**
 * Whether a value that is valid as a whole can belong to this alternative, by what tells alternatives apart: type,
 * const, enum, pattern, required and forbidden fields, and the same of their members.
 */
function canBe(
  root: JsonObject,
  schema: unknown,
  value: unknown,
  via: readonly unknown[] = [],
): boolean {
  if (typeof schema === 'boolean') return schema;
  if (!isJsonObject(schema) || via.includes(schema)) return true;
  const path = [...via, schema];
  const also = (other: unknown) => canBe(root, other, value, path);
  if (typeof schema.$ref === 'string' && !also(resolveRef(root, schema.$ref))) return false;
  if ('type' in schema && ![schema.type].flat().some((type) => hasType(value, type))) return false;
  if ('const' in schema && !isSame(schema.const, value)) return false;
  if (Array.isArray(schema.enum) && !schema.enum.some((one) => isSame(one, value))) return false;
  if (!listOf(schema.allOf).every(also)) return false;
  if (Array.isArray(schema.oneOf) && !schema.oneOf.some(also)) return false;
  if (Array.isArray(schema.anyOf) && !schema.anyOf.some(also)) return false;
  if ('not' in schema && isJsonObject(schema.not) && also(schema.not)) return false;
  if (typeof value === 'string') return fitsText(schema, value);
  if (Array.isArray(value))
    return value.every((item, index) =>
      itemSchemas([schema], index).every((one) => canBe(root, one, item)),
    );
  return isJsonObject(value) ? fitsObject(root, schema, value) : true;
}

function fitsText(schema: JsonObject, value: string): boolean {
  if (typeof schema.pattern === 'string' && !new RegExp(schema.pattern, 'u').test(value))
    return false;
  if (typeof schema.minLength === 'number' && [...value].length < schema.minLength) return false;
  return !(typeof schema.maxLength === 'number' && [...value].length > schema.maxLength);
}

function fitsObject(root: JsonObject, schema: JsonObject, value: JsonObject): boolean {
  if (!listOf(schema.required).every((key) => typeof key === 'string' && Object.hasOwn(value, key)))
    return false;
  return Object.entries(value).every(([key, member]) =>
    propertySchemas([schema], key).every((one) => canBe(root, one, member)),
  );
}

function hasType(value: unknown, type: unknown): boolean {
  switch (type) {
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isJsonObject(value);
    case 'integer':
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}

function isSame(left: unknown, right: unknown): boolean {
  return left === right || JSON.stringify(left) === JSON.stringify(right);
}
