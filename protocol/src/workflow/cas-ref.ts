import type { JsonSchema } from './role-definition.js';

/** Strings of a meta that its schema marks `casRef: true`, in objects, arrays and alternatives; each once. */
export function casRefTexts(schema: JsonSchema | null, meta: unknown): string[] {
  const found = new Set<string>();
  collect(schema, meta, found);
  return [...found];
}

function collect(schema: unknown, value: unknown, found: Set<string>): void {
  if (!isRecord(schema)) return;
  if (typeof value === 'string') {
    if (schema.casRef === true) found.add(value);
  } else if (Array.isArray(value)) {
    for (const item of value) collect(schema.items, item, found);
  } else if (isRecord(value)) {
    for (const [key, field] of Object.entries(value)) {
      const properties = isRecord(schema.properties) ? schema.properties : {};
      const known = Object.hasOwn(properties, key);
      collect(known ? properties[key] : schema.additionalProperties, field, found);
    }
  } else {
    return;
  }
  for (const keyword of ['oneOf', 'anyOf', 'allOf']) {
    const branches = schema[keyword];
    if (Array.isArray(branches)) for (const branch of branches) collect(branch, value, found);
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
