import { type Definition, parseDefinitionFile } from '../workflow/index.js';

/** A definition from the file's form; throws with the findings when it has any. */
export function definitionOf(file: Record<string, unknown>): Definition {
  const { definition, findings } = parseDefinitionFile({ name: 'sample', ...file });
  if (definition === null) throw new Error(JSON.stringify(findings));
  return definition;
}

export const statusSchema = (...statuses: string[]) => ({
  type: 'object',
  properties: { $status: { enum: statuses } },
  required: ['$status'],
});
