/** JSON Schema as a table: a row per field, what is inside of objects and lists indented. */
export type SchemaRow = {
  /** From 0; fields of a field are one deeper. */
  depth: number;
  name: string;
  /** `text`, `number`, `list of text`, `one of "a", "b"` … */
  type: string;
  required: boolean;
  description: string;
};

export type Schema = Record<string, unknown>;

const TYPE_WORDS: Record<string, string> = {
  string: 'text',
  number: 'number',
  integer: 'whole number',
  boolean: 'true or false',
  null: 'null',
  object: 'object',
  array: 'list',
};
/** Deeper fields are left out of the table: nobody reads them there. */
const ROWS_DEEP = 4;

export function schemaRows(schema: Schema, depth = 0): SchemaRow[] {
  if (depth >= ROWS_DEEP) return [];
  const fields = recordOf(schema.properties);
  const required = Array.isArray(schema.required) ? schema.required : [];
  const own = Object.entries(fields).flatMap(([name, value]) => {
    const field = recordOf(value);
    const row: SchemaRow = {
      depth,
      name,
      type: typeInWords(field),
      required: required.includes(name),
      description: typeof field.description === 'string' ? field.description : '',
    };
    return [row, ...schemaRows(inner(field), depth + 1)];
  });
  return [...own, ...variants(schema).flatMap((variant) => variantRows(variant, depth))];
}

/** The branches of a schema that has several forms, each under a line that names it. */
function variantRows(variant: Schema, depth: number): SchemaRow[] {
  const rows = schemaRows(variant, depth + 1);
  if (rows.length === 0) return [];
  return [
    { depth, name: variantName(variant), type: 'one form', required: false, description: '' },
    ...rows,
  ];
}

function variantName(variant: Schema): string {
  if (typeof variant.title === 'string') return variant.title;
  const constants = Object.entries(recordOf(variant.properties)).flatMap(([name, value]) => {
    const field = recordOf(value);
    const fixed =
      field.const ??
      (Array.isArray(field.enum) && field.enum.length === 1 ? field.enum[0] : undefined);
    return fixed === undefined ? [] : [`${name} = ${String(fixed)}`];
  });
  return constants.length === 0 ? 'or' : constants.join(', ');
}

function variants(schema: Schema): Schema[] {
  const list = schema.oneOf ?? schema.anyOf;
  return Array.isArray(list) ? list.map(recordOf) : [];
}

/** What fields may stand in: an object's own, or those of a list's items. */
function inner(field: Schema): Schema {
  return field.type === 'array' ? recordOf(field.items) : field;
}

export function typeInWords(field: Schema): string {
  if (field.casRef === true) return 'stored text';
  if (field.const !== undefined) return JSON.stringify(field.const);
  if (Array.isArray(field.enum))
    return `one of ${field.enum.map((one) => JSON.stringify(one)).join(', ')}`;
  const list = variants(field);
  if (list.length > 0) return list.map(typeInWords).join(' or ');
  if (field.type === 'array') {
    const items = typeInWords(recordOf(field.items));
    return items === 'anything' ? 'list' : `list of ${items}`;
  }
  if (Array.isArray(field.type))
    return field.type.map((type) => TYPE_WORDS[String(type)] ?? String(type)).join(' or ');
  if (typeof field.type === 'string') return TYPE_WORDS[field.type] ?? field.type;
  return 'anything';
}

function recordOf(value: unknown): Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Schema)
    : {};
}
