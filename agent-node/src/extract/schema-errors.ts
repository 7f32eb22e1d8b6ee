import type { ErrorObject } from 'ajv/dist/2020.js';
import { isJsonObject, type JsonObject } from './json-value.js';
import { SCHEMA_ERRORS_SHOWN, VALUE_QUOTE_CHARS } from './limits.js';

/** Ajv's errors as text for those who wrote the value: where, what was expected, what was there. */
export function describeErrors(
  schema: JsonObject,
  value: unknown,
  errors: readonly ErrorObject[],
  subject: string,
): string[] {
  const lines = [
    ...new Set(
      ofMeantBranch(schema, value, errors).map((error) => describe(error, value, subject)),
    ),
  ];
  if (lines.length <= SCHEMA_ERRORS_SHOWN) return lines;
  return [...lines.slice(0, SCHEMA_ERRORS_SHOWN), `and ${lines.length - SCHEMA_ERRORS_SHOWN} more`];
}

/**
 * Where `$status` says which alternative is meant, only its errors help; where it names none, the statuses there are.
 */
function ofMeantBranch(
  schema: JsonObject,
  value: unknown,
  errors: readonly ErrorObject[],
): readonly ErrorObject[] {
  const keyword = ['oneOf', 'anyOf'].find((name) => Array.isArray(schema[name]));
  if (keyword === undefined || !isJsonObject(value)) return errors;
  const branches = (schema[keyword] as unknown[]).map(statusesOf);
  if (branches.some((statuses) => statuses === null)) return errors;
  const meant = branches.findIndex((statuses) => statuses?.includes(value.$status));
  const inside = `#/${keyword}/`;
  if (meant < 0) {
    const [first] = errors;
    if (first === undefined) return errors;
    const wrongStatus: ErrorObject = {
      ...first,
      instancePath: '$status' in value ? '/$status' : '',
      keyword: '$status' in value ? 'enum' : 'required',
      params:
        '$status' in value ? { allowedValues: branches.flat() } : { missingProperty: '$status' },
    };
    return [
      wrongStatus,
      ...errors.filter(({ schemaPath }) => !schemaPath.startsWith(`#/${keyword}`)),
    ];
  }
  const chosen = errors.filter(
    ({ schemaPath }) =>
      schemaPath.startsWith(`${inside}${meant}/`) || !schemaPath.startsWith(`#/${keyword}`),
  );
  return chosen.length > 0 ? chosen : errors;
}

function statusesOf(branch: unknown): unknown[] | null {
  const status =
    isJsonObject(branch) && isJsonObject(branch.properties) ? branch.properties.$status : null;
  if (!isJsonObject(status)) return null;
  if ('const' in status) return [status.const];
  return Array.isArray(status.enum) ? status.enum : null;
}

function describe(error: ErrorObject, value: unknown, subject: string): string {
  const { params } = error;
  const at = error.instancePath === '' ? subject : error.instancePath.slice(1).replaceAll('/', '.');
  const there = quote(valueAt(value, error.instancePath));
  switch (error.keyword) {
    case 'required':
      return `${at}: the field ${params.missingProperty} is missing`;
    case 'additionalProperties':
      return `${at}: the field ${params.additionalProperty} is not allowed`;
    case 'unevaluatedProperties':
      return `${at}: the field ${params.unevaluatedProperty} is not allowed`;
    case 'type':
      return `${at}: must be of type ${[params.type].flat().join(' or ')}, but it is ${there}`;
    case 'const':
      return `${at}: must be ${quote(params.allowedValue)}, but it is ${there}`;
    case 'enum':
      return `${at}: must be one of ${params.allowedValues.map(quote).join(', ')}, but it is ${there}`;
    default:
      return `${at}: ${error.message ?? `does not satisfy ${error.keyword}`}, but it is ${there}`;
  }
}

function valueAt(value: unknown, pointer: string): unknown {
  let current = value;
  for (const part of pointer.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof current !== 'object' || current === null) return undefined;
    current = (current as JsonObject)[key];
  }
  return current;
}

function quote(value: unknown): string {
  const text = JSON.stringify(value) ?? 'absent';
  return text.length <= VALUE_QUOTE_CHARS
    ? text
    : `${text.slice(0, VALUE_QUOTE_CHARS).toWellFormed()}…`;
}
