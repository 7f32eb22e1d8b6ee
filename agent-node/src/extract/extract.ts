import { readFrontmatter, skipThinking } from './frontmatter.js';
import type { JsonObject } from './json-value.js';
import type { Validator } from './schema.js';
import { parseObject } from './script-answer.js';

export type ExtractRequest = {
  /** The agent's whole answer. */
  text: string;
  /** JSON Schema of the meta; null accepts any object, also none. */
  schema: JsonObject | null;
  validator: Validator;
};

/** `errorText` tells the agent what to correct. */
export type Extraction = { ok: true; meta: JsonObject } | { ok: false; errorText: string };

/**
 * Meta of an agent's answer: its frontmatter, or an answer that as a whole is a JSON object. Lenient about the wrapping,
 * strict about the content; nothing is guessed. Throws invalid-definition when the schema cannot be used.
 */
export function extractMeta({ text, schema, validator }: ExtractRequest): Extraction {
  const found = findMeta(text);
  if (typeof found === 'string') {
    // Nothing was asked for, so nothing is missing, and a text may begin with a line ---.
    return schema === null ? { ok: true, meta: {} } : { ok: false, errorText: found };
  }
  const errors = schema === null ? [] : validator.errors(schema, found);
  if (errors.length === 0) return { ok: true, meta: found };
  return {
    ok: false,
    errorText: `the frontmatter does not match the schema:\n${errors.map((e) => `- ${e}`).join('\n')}`,
  };
}

const NO_META =
  'it does not begin with YAML frontmatter: the first line must be ---, then the fields, then a line ---, then the text';

function findMeta(text: string): JsonObject | string {
  const reading = readFrontmatter(text);
  if (reading.kind === 'read') return reading.meta;
  if (reading.kind === 'broken') return reading.problem;
  return parseObject(dropJsonFence(skipThinking(text).trim())) ?? NO_META;
}

function dropJsonFence(text: string): string {
  const fenced = /^(`{3,})(?:json)?[ \t]*\r?\n([\s\S]*)\n\1$/.exec(text);
  return (fenced?.[2] ?? text).trim();
}
