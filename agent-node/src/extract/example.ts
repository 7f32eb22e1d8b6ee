import { isJsonObject, type JsonObject } from './json-value.js';
import { EXAMPLE_MAX_DEPTH, EXAMPLES_MAX } from './limits.js';
import { resolveRef } from './schema-walk.js';

/** Made-up metas that show the form a schema asks for: one, or one for each of the first alternatives. */
export function exampleMetas(schema: JsonObject): unknown[] {
  const branches = [schema.oneOf, schema.anyOf].find(Array.isArray);
  if (branches === undefined) return [example(schema, schema, 0)];
  return branches
    .slice(0, EXAMPLES_MAX)
    .map((branch: unknown) =>
      example(schema, merge([{ ...schema, oneOf: undefined, anyOf: undefined }, branch]), 0),
    );
}

function example(root: JsonObject, schema: unknown, depth: number): unknown {
  if (!isJsonObject(schema) || depth > EXAMPLE_MAX_DEPTH) return null;
  if (typeof schema.$ref === 'string')
    return example(
      root,
      merge([{ ...schema, $ref: undefined }, resolveRef(root, schema.$ref)]),
      depth + 1,
    );
  if ('const' in schema) return schema.const;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  if (Array.isArray(schema.examples) && schema.examples.length > 0) return schema.examples[0];
  if ('default' in schema) return schema.default;
  if (Array.isArray(schema.allOf))
    return example(root, merge([{ ...schema, allOf: undefined }, ...schema.allOf]), depth + 1);
  const branches = [schema.oneOf, schema.anyOf].find(Array.isArray);
  if (branches !== undefined)
    return example(
      root,
      merge([{ ...schema, oneOf: undefined, anyOf: undefined }, branches[0]]),
      depth + 1,
    );
  switch (typeOf(schema)) {
    case 'object':
      return exampleObject(root, schema, depth);
    case 'array':
      return exampleArray(root, schema, depth);
    case 'integer':
    case 'number':
      return exampleNumber(schema);
    case 'boolean':
      return true;
    case 'null':
      return null;
    default:
      return typeof schema.description === 'string' ? `<${schema.description}>` : '<text>';
  }
}

function exampleObject(root: JsonObject, schema: JsonObject, depth: number): JsonObject {
  const properties = isJsonObject(schema.properties) ? Object.entries(schema.properties) : [];
  const required = Array.isArray(schema.required) ? schema.required : [];
  const shown = properties.filter(
    ([name]) => depth < EXAMPLE_MAX_DEPTH / 2 || required.includes(name),
  );
  return Object.fromEntries(
    shown.map(([name, property]) => [name, example(root, property, depth + 1)]),
  );
}

function exampleArray(root: JsonObject, schema: JsonObject, depth: number): unknown[] {
  if (Array.isArray(schema.prefixItems))
    return schema.prefixItems.map((item) => example(root, item, depth + 1));
  return schema.items === undefined ? [] : [example(root, schema.items, depth + 1)];
}

function exampleNumber(schema: JsonObject): number {
  for (const bound of ['minimum', 'maximum'])
    if (typeof schema[bound] === 'number') return schema[bound];
  if (typeof schema.exclusiveMinimum === 'number') return schema.exclusiveMinimum + 1;
  return 1;
}

function typeOf(schema: JsonObject): unknown {
  const [type] = [schema.type].flat();
  if (type !== undefined) return type;
  if ('properties' in schema || 'required' in schema) return 'object';
  return 'items' in schema || 'prefixItems' in schema ? 'array' : 'string';
}

/** One schema out of several that apply together; enough to show a form, not to check one. */
function merge(schemas: readonly unknown[]): JsonObject {
  const merged: JsonObject = {};
  for (const schema of schemas) {
    if (!isJsonObject(schema)) continue;
    for (const [key, value] of Object.entries(schema)) {
      if (value === undefined) delete merged[key];
      else if (key === 'properties' && isJsonObject(value))
        merged[key] = { ...(merged[key] as JsonObject), ...value };
      else if (key === 'required' && Array.isArray(value))
        merged[key] = [...new Set([...((merged[key] as unknown[] | undefined) ?? []), ...value])];
      else merged[key] = value;
    }
  }
  return merged;
}
