import { Problem } from '@uncaged/protocol/problem';
import { Ajv2020, type AnySchemaObject, type ValidateFunction } from 'ajv/dist/2020.js';
import type { JsonObject } from './json-value.js';
import { COMPILED_SCHEMAS_MAX } from './limits.js';
import { describeErrors } from './schema-errors.js';

/**
 * Checks values against JSON Schemas (draft 2020-12). Make one per process and pass it: setting up Ajv takes 13 ms.
 * `errors` is readable text, one finding each; empty: the value matches. Throws invalid-definition when the schema itself
 * cannot be used. `subject` is what the texts call the value as a whole.
 */
export type Validator = {
  errors: (schema: JsonObject, value: unknown, subject?: string) => string[];
};

export function createValidator(): Validator {
  // `format` is a note for people here, as the draft has it by default.
  const ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    logger: false,
    validateFormats: false,
    // Two roles may use the same $id.
    addUsedSchema: false,
  });
  ajv.addKeyword('casRef');
  const byText = new Map<string, ValidateFunction>();
  let byIdentity = new WeakMap<JsonObject, ValidateFunction>();

  function compiled(schema: JsonObject): ValidateFunction {
    const known = byIdentity.get(schema);
    if (known !== undefined) return known;
    const text = JSON.stringify(schema);
    const validate = byText.get(text) ?? compile(ajv, schema);
    if (byText.size >= COMPILED_SCHEMAS_MAX && !byText.has(text)) {
      // Rare and cheap to make up for: simpler than keeping an order.
      byText.clear();
      byIdentity = new WeakMap();
    }
    byText.set(text, validate);
    byIdentity.set(schema, validate);
    return validate;
  }

  return {
    errors: (schema, value, subject = 'the answer') => {
      const validate = compiled(schema);
      if (validate(value)) return [];
      return describeErrors(schema, value, validate.errors ?? [], subject);
    },
  };
}

function compile(ajv: Ajv2020, schema: JsonObject): ValidateFunction {
  try {
    const validate = ajv.compile(schema as AnySchemaObject);
    // An asynchronous schema answers with a promise, which looks like "matches".
    if ('$async' in validate) throw new Error('$async is not supported');
    return validate;
  } catch (error) {
    throw new Problem(
      'invalid-definition',
      `the JSON Schema of a role cannot be used: ${error instanceof Error ? error.message : String(error)}; correct it in the workflow`,
      { cause: error },
    );
  } finally {
    // Ajv would keep every schema object for ever.
    ajv.removeSchema(schema as AnySchemaObject);
  }
}
