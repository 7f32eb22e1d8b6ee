/** One way an answer may look: a branch of a schema's alternatives. */
export type Variant = {
  /** Values `$status` may have; null = any. */
  statuses: ReadonlySet<string> | null;
  statusRequired: boolean;
  fields: ReadonlySet<string>;
  /** Fields beyond these are expected, not merely tolerated. */
  open: boolean;
};

type Schema = Record<string, unknown>;

/** Alternatives multiply under allOf; beyond this nobody can read the schema either. */
const VARIANTS_MAX = 256;
const REFS_MAX = 32;

const ANYTHING: Variant = { statuses: null, statusRequired: false, fields: new Set(), open: false };

/**
 * What a JSON Schema says of `$status` and of field names, per alternative (`oneOf`, `anyOf`, `allOf`, `if`, local
 * `$ref`). An estimate for findings, not a validator: keywords it does not know change nothing.
 */
export function schemaVariants(schema: Schema): Variant[] {
  return variants(schema, schema, 0).slice(0, VARIANTS_MAX);
}

function variants(schema: unknown, root: Schema, refs: number): Variant[] {
  if (!isRecord(schema) || refs > REFS_MAX) return [ANYTHING];
  const properties = isRecord(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? schema.required : [];
  const status = Object.hasOwn(properties, '$status') ? properties.$status : undefined;
  let found: Variant[] = [
    {
      statuses: textValues(status, root, 0),
      statusRequired: required.includes('$status'),
      fields: new Set(Object.keys(properties)),
      open:
        schema.additionalProperties === true ||
        isRecord(schema.additionalProperties) ||
        isRecord(schema.patternProperties),
    },
  ];
  const target = localRef(schema, root);
  if (target !== undefined) found = combine(found, variants(target, root, refs + 1));
  for (const keyword of ['oneOf', 'anyOf']) {
    const branches = schema[keyword];
    if (Array.isArray(branches)) {
      found = combine(
        found,
        branches.flatMap((branch) => variants(branch, root, refs + 1)),
      );
    }
  }
  if (Array.isArray(schema.allOf)) {
    for (const part of schema.allOf) found = combine(found, variants(part, root, refs + 1));
  }
  if (schema.if !== undefined) {
    const branches = [schema.then, schema.else];
    found = combine(
      found,
      branches.flatMap((branch) => variants(branch, root, refs + 1)),
    );
  }
  return found;
}

/** Both hold at once; a pair whose statuses exclude each other cannot be. */
function combine(left: readonly Variant[], right: readonly Variant[]): Variant[] {
  const found: Variant[] = [];
  for (const a of left) {
    for (const b of right) {
      const statuses = intersect(a.statuses, b.statuses);
      if (statuses?.size === 0 || found.length >= VARIANTS_MAX) continue;
      found.push({
        statuses,
        statusRequired: a.statusRequired || b.statusRequired,
        fields: new Set([...a.fields, ...b.fields]),
        open: a.open || b.open,
      });
    }
  }
  return found;
}

/** Texts that a schema of one value allows; null = any. */
function textValues(schema: unknown, root: Schema, refs: number): ReadonlySet<string> | null {
  if (!isRecord(schema) || refs > REFS_MAX) return null;
  let values: ReadonlySet<string> | null = null;
  if (Object.hasOwn(schema, 'const')) values = texts([schema.const]);
  if (Array.isArray(schema.enum)) values = intersect(values, texts(schema.enum));
  const target = localRef(schema, root);
  if (target !== undefined) values = intersect(values, textValues(target, root, refs + 1));
  for (const keyword of ['oneOf', 'anyOf']) {
    const branches = schema[keyword];
    if (!Array.isArray(branches)) continue;
    const sets = branches.map((branch) => textValues(branch, root, refs + 1));
    if (sets.every((set) => set !== null))
      values = intersect(values, texts(sets.flatMap((set) => [...set])));
  }
  if (Array.isArray(schema.allOf)) {
    for (const part of schema.allOf) values = intersect(values, textValues(part, root, refs + 1));
  }
  return values;
}

function texts(values: readonly unknown[]): ReadonlySet<string> {
  return new Set(values.filter((value) => typeof value === 'string'));
}

function intersect(
  a: ReadonlySet<string> | null,
  b: ReadonlySet<string> | null,
): ReadonlySet<string> | null {
  if (a === null) return b;
  return b === null ? a : new Set([...a].filter((value) => b.has(value)));
}

/** What `$ref: "#/…"` points to in the same schema. */
function localRef(schema: Schema, root: Schema): unknown {
  const ref = schema.$ref;
  if (typeof ref !== 'string' || !ref.startsWith('#')) return undefined;
  let value: unknown = root;
  for (const part of ref.slice(1).split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Schema)[key];
  }
  return value;
}

function isRecord(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
