import { parseFrontmatter } from './frontmatter.js';
import { findJsonFault, isJsonObject, type JsonObject } from './json-value.js';

export type ScriptOutput = {
  /** First and last bytes of stdout; enough to find an answer in an output too long to be held. */
  head: Uint8Array;
  tail: Uint8Array;
  /** The whole text when it is at hand; then head and tail are not looked at. */
  wholeText: string | null;
  exitCode: number;
};

export type ScriptAnswer = { meta: JsonObject; source: 'frontmatter' | 'json-line' | 'exit-code' };

/**
 * What a `run:` script answered: frontmatter, or a JSON object as the last line that is not blank; without either,
 * `$status` by the exit code. What only looks like an answer is output.
 */
export function readScriptAnswer(output: ScriptOutput): ScriptAnswer {
  const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  const frontmatter = parseFrontmatter(output.wholeText ?? decode(output.head));
  if (frontmatter !== null) return { meta: frontmatter.meta, source: 'frontmatter' };
  const line = parseObject(lastLine(output.wholeText ?? decode(output.tail)));
  if (line !== null) return { meta: line, source: 'json-line' };
  return { meta: { $status: output.exitCode === 0 ? 'ok' : 'failed' }, source: 'exit-code' };
}

function lastLine(text: string): string {
  const trimmed = text.trimEnd();
  return trimmed.slice(trimmed.lastIndexOf('\n') + 1).trim();
}

/** A JSON object from text that is nothing but one, or null. */
export function parseObject(text: string): JsonObject | null {
  if (!text.startsWith('{') || !text.endsWith('}')) return null;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
  return isJsonObject(value) && findJsonFault(value) === null ? value : null;
}
