/** A field of a form made from a workflow's `inputs`. */
export type InputField = {
  name: string;
  kind: 'text' | 'long-text' | 'number' | 'integer' | 'boolean' | 'choice' | 'json';
  required: boolean;
  description: string;
  /** As text of the form. */
  initial: string;
  options: string[];
};

type Schema = Record<string, unknown>;

/** A text that may be longer than so many characters gets room for lines. */
const ONE_LINE_CHARACTERS = 200;

/** The fields of a JSON Schema; null when it is not one of an object with named fields: then JSON is typed. */
export function inputFields(schema: Schema | null): InputField[] | null {
  if (schema === null || typeof schema.properties !== 'object' || schema.properties === null)
    return null;
  const required = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(schema.properties as Record<string, Schema>).map(([name, field]) => ({
    name,
    kind: kindOf(field),
    required: required.includes(name),
    description: typeof field.description === 'string' ? field.description : '',
    initial: initialOf(field),
    options: choices(field) ?? [],
  }));
}

function kindOf(field: Schema): InputField['kind'] {
  if (choices(field) !== null) return 'choice';
  switch (field.type) {
    case 'string':
      return typeof field.maxLength === 'number' && field.maxLength > ONE_LINE_CHARACTERS
        ? 'long-text'
        : 'text';
    case 'number':
    case 'integer':
    case 'boolean':
      return field.type;
    default:
      return 'json';
  }
}

function choices(field: Schema): string[] | null {
  if (!Array.isArray(field.enum)) return null;
  return field.enum.every((one) => typeof one === 'string') ? (field.enum as string[]) : null;
}

function initialOf({ default: value }: Schema): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

export type ReadInputs =
  | { ok: true; inputs: Record<string, unknown> | null }
  /** By field. */
  | { ok: false; problems: Record<string, string> };

/** What was typed as the values of a start; empty fields that are not needed are left out. */
export function readInputs(
  fields: readonly InputField[],
  typed: Readonly<Record<string, string>>,
): ReadInputs {
  const inputs: Record<string, unknown> = {};
  const problems: Record<string, string> = {};
  for (const { name, kind, required, initial } of fields) {
    const text = typed[name] ?? initial;
    if (text.trim() === '') {
      if (required) problems[name] = 'This is needed.';
      continue;
    }
    const read = readValue(kind, text);
    if ('problem' in read) problems[name] = read.problem;
    else inputs[name] = read.value;
  }
  if (Object.keys(problems).length > 0) return { ok: false, problems };
  return { ok: true, inputs: Object.keys(inputs).length === 0 ? null : inputs };
}

function readValue(
  kind: InputField['kind'],
  text: string,
): { value: unknown } | { problem: string } {
  switch (kind) {
    case 'text':
    case 'long-text':
    case 'choice':
      return { value: text };
    case 'boolean':
      return { value: text === 'true' };
    case 'number':
    case 'integer': {
      const value = Number(text);
      if (!Number.isFinite(value)) return { problem: 'This is not a number.' };
      return kind === 'integer' && !Number.isInteger(value)
        ? { problem: 'A whole number, please.' }
        : { value };
    }
    case 'json':
      return readJson(text);
  }
}

/** JSON as typed, or what is wrong with it. */
export function readJson(text: string): { value: unknown } | { problem: string } {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    if (error instanceof SyntaxError) return { problem: `This is not JSON: ${error.message}` };
    throw error;
  }
}

/** A JSON object as typed; empty is null. */
export function readJsonObject(
  text: string,
): { value: Record<string, unknown> | null } | { problem: string } {
  if (text.trim() === '') return { value: null };
  const read = readJson(text);
  if ('problem' in read) return read;
  const { value } = read;
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? { value: value as Record<string, unknown> }
    : { problem: 'Inputs are an object: {"name": "value"}.' };
}
