import { Problem } from '@uncaged/protocol/problem';
import { Ajv2020, type AnySchemaObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { createRegexEngine } from '../regex/index.js';
import type { JsonObject } from './json-value.js';
import { COMPILED_SCHEMAS_MAX } from './limits.js';
import { describeErrors } from './schema-errors.js';

/**
 * Checks values against JSON Schemas (draft 2020-12). Make one per process and pass it: setting up Ajv takes 13 ms.
 * `errors` is readable text, one finding each; empty: the value matches. Throws invalid-definition when the schema itself
 * cannot be used, or a pattern in it backtracks without end. `subject` is what the texts call the value as a whole.
 */
export type Validator = {
  errors: (schema: JsonObject, value: unknown, subject?: string) => string[];
};

export function createValidator(): Validator {
  // The schema was checked when the workflow was (schemaFault); compiling the schema of schemas takes 70 ms.
  const ajv = createAjv({ validateSchema: false });
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

/** What is wrong with a JSON Schema itself, for who writes it; null when it can be used. */
export function schemaFault(schema: JsonObject): string | null {
  const result = tryCompile(createAjv({ validateSchema: true }), schema);
  return 'fault' in result ? result.fault.message : null;
}

function createAjv({ validateSchema }: { validateSchema: boolean }): Ajv2020 {
  const Pattern = createRegexEngine('invalid-definition', "a role's schema");
  const ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    logger: false,
    // `format` is a note for people here, as the draft has it by default.
    validateFormats: false,
    // Two roles may use the same $id.
    addUsedSchema: false,
    validateSchema,
    code: {
      // `code` is for validators that are written to a file, which these are not.
      regExp: Object.assign((source: string, flags: string) => new Pattern(source, flags), {
        code: 'new RegExp',
      }),
    },
  });
  ajv.addKeyword('casRef');
  return ajv;
}

function compile(ajv: Ajv2020, schema: JsonObject): ValidateFunction {
  const result = tryCompile(ajv, schema);
  if ('validate' in result) return result.validate;
  throw new Problem(
    'invalid-definition',
    `the JSON Schema of a role cannot be used: ${result.fault.message}; correct it in the workflow`,
    { cause: result.fault },
  );
}

/** Ajv throws plain Errors for whatever it does not like about a schema. */
function tryCompile(
  ajv: Ajv2020,
  schema: JsonObject,
): { validate: ValidateFunction } | { fault: Error } {
  try {
    const validate = ajv.compile(schema as AnySchemaObject);
    // An asynchronous schema answers with a promise, which looks like "matches".
    return '$async' in validate ? { fault: new Error('$async is not supported') } : { validate };
  } catch (error) {
    return { fault: error instanceof Error ? error : new Error(String(error)) };
  } finally {
    // Ajv would keep every schema object for ever.
    ajv.removeSchema(schema as AnySchemaObject);
  }
}
