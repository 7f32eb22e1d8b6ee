import { readFrontmatter } from './frontmatter.js';
import { findJsonFault, isJsonObject, type JsonObject } from './json-value.js';

export type ScriptOutput = {
  /** First and last bytes of stdout; enough to find an answer in an output too long to be held. */
  head: Uint8Array;
  tail: Uint8Array;
  /** The whole text when it is at hand; then head and tail are not looked at. */
  wholeText: string | null;
  exitCode: number;
};

/** `broken`: it plainly gives a `$status`, but not in a form that can be read; `problem` says why. */
export type ScriptAnswer =
  | { source: 'frontmatter' | 'json-line' | 'exit-code'; meta: JsonObject }
  | { source: 'broken'; problem: string };

/**
 * What a `run:` script answered: frontmatter, or a JSON object as the last line that is not blank; without either,
 * `$status` by the exit code. What only looks like an answer is output, unless it names a `$status`: going on by the
 * exit code would then take the way that the script did not choose.
 */
export function readScriptAnswer(output: ScriptOutput): ScriptAnswer {
  const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  const frontmatter = readFrontmatter(output.wholeText ?? decode(output.head));
  if (frontmatter.kind === 'read') return { source: 'frontmatter', meta: frontmatter.meta };
  if (frontmatter.kind === 'broken' && STATUS_FIELD.test(frontmatter.source))
    return { source: 'broken', problem: frontmatter.problem };
  const line = lastLine(output.wholeText ?? decode(output.tail));
  const reading = readObject(line);
  if (isJsonObject(reading)) return { source: 'json-line', meta: reading };
  if (reading !== null && line.includes('"$status"'))
    return { source: 'broken', problem: `its last line ${reading}` };
  return { source: 'exit-code', meta: { $status: output.exitCode === 0 ? 'ok' : 'failed' } };
}

const STATUS_FIELD = /^["']?\$status["']?[ \t]*:/m;

function lastLine(text: string): string {
  const trimmed = text.trimEnd();
  return trimmed.slice(trimmed.lastIndexOf('\n') + 1).trim();
}

/** A JSON object from text that is nothing but one, or null. */
export function parseObject(text: string): JsonObject | null {
  const reading = readObject(text);
  return isJsonObject(reading) ? reading : null;
}

/** A JSON object; what is wrong with it, to follow a subject; null when the text does not have the outline of one. */
function readObject(text: string): JsonObject | string | null {
  if (!text.startsWith('{') || !text.endsWith('}')) return null;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return `is not valid JSON: ${error.message}`;
    throw error;
  }
  const fault = findJsonFault(value);
  if (fault !== null) return `cannot be used: ${fault}`;
  return isJsonObject(value) ? value : null;
}
