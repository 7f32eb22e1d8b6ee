import { composeYaml } from '../yaml/index.js';
import { findJsonFault, isJsonObject, type JsonObject } from './json-value.js';
import { FRONTMATTER_MAX_BYTES } from './limits.js';

/** `none`: there is no frontmatter; `broken`: there is (`source`), and `problem` says what is wrong with it. */
export type FrontmatterReading =
  | { kind: 'none' }
  | { kind: 'broken'; problem: string; source: string }
  | { kind: 'read'; meta: JsonObject; body: string };

/** Meta and body of Markdown with YAML frontmatter, or null when it has none that can be read. */
export function parseFrontmatter(text: string): { meta: JsonObject; body: string } | null {
  const reading = readFrontmatter(text);
  return reading.kind === 'read' ? { meta: reading.meta, body: reading.body } : null;
}

/** Lenient about what models put around it (BOM, CRLF, thinking, blank lines, a code fence), strict about the YAML. */
export function readFrontmatter(text: string): FrontmatterReading {
  const unwrapped = skipThinking(text);
  const fence = /^(`{3,}|~{3,})[ \t]*[A-Za-z]*[ \t]*\r?\n\s*/.exec(unwrapped);
  const document = fence === null ? unwrapped : unwrapped.slice(fence[0].length);
  const opening = /^---[ \t]*\r?\n/.exec(document);
  if (opening === null) return { kind: 'none' };
  const rest = document.slice(opening[0].length);
  const closing = /^---[ \t]*(?:\r?\n|$)/m.exec(rest);
  if (closing === null) return { kind: 'none' };
  const source = rest.slice(0, closing.index);
  const body = rest.slice(closing.index + closing[0].length);
  const meta = parseYaml(source);
  if (typeof meta === 'string') return { kind: 'broken', problem: meta, source };
  return { kind: 'read', meta, body: fence === null ? body : dropFence(body, fence[1] ?? '') };
}

/** Text without BOM, leading blank lines and leading `<think>…</think>` blocks. */
export function skipThinking(text: string): string {
  let rest = text.replace(/^[\uFEFF\s]+/, '');
  for (;;) {
    const opening = /^<(think|thinking|thought|reasoning)>/i.exec(rest);
    if (opening === null) return rest;
    const end = rest.toLowerCase().indexOf(`</${opening[1]?.toLowerCase()}>`);
    if (end < 0) return rest;
    rest = rest.slice(end + opening[0].length + 1).replace(/^\s+/, '');
  }
}

/** The fence closed right after the frontmatter, or goes around the whole answer; only its own lines are taken away. */
function dropFence(body: string, fence: string): string {
  const mark = fence[0] === '~' ? '~' : '`';
  const closes = `${mark}{${fence.length},}[ \\t]*`;
  const atOnce = new RegExp(`^\\s*${closes}(?:\\r?\\n|$)`).exec(body);
  if (atOnce !== null) return body.slice(atOnce[0].length);
  const trimmed = body.trimEnd();
  const lastLine = trimmed.slice(trimmed.lastIndexOf('\n') + 1);
  if (!new RegExp(`^${closes}$`).test(lastLine)) return body;
  return trimmed.slice(0, trimmed.length - lastLine.length);
}

function parseYaml(source: string): JsonObject | string {
  if (Buffer.byteLength(source) > FRONTMATTER_MAX_BYTES)
    return `the frontmatter is longer than ${FRONTMATTER_MAX_BYTES} bytes`;
  const composed = composeYaml(source, { uniqueKeys: true });
  if ('tooDeepAt' in composed) return 'the frontmatter is nested too deep';
  const [document, second] = composed.documents;
  if (document === undefined) throw new Error('the YAML composer gave no document');
  if (second !== undefined) return 'the frontmatter holds more than one YAML document';
  const [error] = document.errors;
  if (error !== undefined)
    return `the frontmatter is not valid YAML: ${error.message.split('\n')[0]}`;
  let value: unknown;
  try {
    // No aliases: an answer needs none, and they can blow up a few bytes to gigabytes.
    value = document.toJS({ maxAliasCount: 0 });
  } catch (failure) {
    if (failure instanceof ReferenceError)
      return 'the frontmatter uses YAML aliases (*name); write the values out';
    throw failure;
  }
  if (value === null) return {};
  if (!isJsonObject(value)) return 'the frontmatter must be a mapping (key: value lines)';
  const fault = findJsonFault(value);
  return fault === null ? value : `the frontmatter cannot be used: ${fault}`;
}
