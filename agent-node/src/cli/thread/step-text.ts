import type { Hash, ThreadId } from '@uncaged/protocol/ids';
import type { Meta } from '@uncaged/protocol/workflow';
import type { Store } from '../../store/index.js';
import { lossOf } from '../../views/index.js';
import {
  type Colors,
  type Output,
  renderTerminalLine,
  renderTerminalText,
  truncateToWidth,
  wrapToWidth,
} from '../output/index.js';
import {
  CONTENT_HEAD_BYTES,
  CONTENT_LINE_MAX_COLUMNS,
  CONTENT_LINES_MAX,
  META_LINES_MAX,
  META_MAX_CHARS,
  WRAP_MIN_COLUMNS,
} from './limits.js';

const INDENT = '  ';

/** The outcome that routes, for the headline of a step: ` → approved`; empty where the role has only one. */
export function statusOf(meta: Meta, colors: Colors): string {
  const status = meta.$status;
  return typeof status === 'string' ? ` ${colors.dim('→')} ${renderTerminalLine(status)}` : '';
}

/** Under the headline of a step that another workflow carries out. */
export function nestedLine(child: ThreadId): string {
  return `${INDENT}nested thread: ${child}`;
}

/**
 * First lines of a step's content, indented, then how many more there are; then its meta. On a terminal long lines are
 * wrapped under their beginning, elsewhere a line stays a line.
 */
export function stepBody(
  store: Store,
  { colors, width }: Output,
  step: { content: Hash | null; meta: Meta },
): string[] {
  const columns = width === null || width < WRAP_MIN_COLUMNS ? null : width - INDENT.length;
  const content = step.content === null ? [] : readableLines(store, step.content);
  return [
    ...content.flatMap((line) => wrapLine(line, columns)),
    ...metaLines(step.meta, columns).map(colors.dim),
  ].map((line) => `${INDENT}${line}`.trimEnd());
}

/** The rest of a line stands under its text: beside the bullet of a list, not below it. */
function wrapLine(line: string, columns: number | null): string[] {
  if (columns === null) return [line];
  const flat = line.replaceAll('\t', '    ');
  const hang = /^\s*(?:[-*•] |\d+\. )?/.exec(flat)![0].length;
  if (hang > columns / 2) return wrapToWidth(flat, columns);
  const [first = '', ...rest] = wrapToWidth(flat.slice(hang), columns - hang);
  return [flat.slice(0, hang) + first, ...rest.map((text) => ' '.repeat(hang) + text)];
}

/** A text that is damaged is said to be, in place of it. */
function readableLines(store: Store, content: Hash): string[] {
  try {
    return contentLines(store, content);
  } catch (error) {
    const { code, message } = lossOf(error);
    return [`(${code}: ${renderTerminalLine(message)})`];
  }
}

function contentLines(store: Store, content: Hash): string[] {
  if (!store.nodes.has(content)) return [`(content not in CAS; contentHash=${content})`];
  const size = store.nodes.contentSize(content);
  if (size === 0) return ['(no output)'];
  const lines = withoutFrontmatter(
    renderTerminalText(store.nodes.readText(content, CONTENT_HEAD_BYTES)),
  )
    .trimEnd()
    .split('\n');
  const shown = lines
    .slice(0, CONTENT_LINES_MAX)
    .map((line) => truncateToWidth(line, CONTENT_LINE_MAX_COLUMNS));
  const more = lines.length - shown.length;
  if (size > CONTENT_HEAD_BYTES) return [...shown, `… (${size} bytes in all)`];
  return more > 0 ? [...shown, `… (${more} more ${more === 1 ? 'line' : 'lines'})`] : shown;
}

/** The frontmatter is the meta, which is printed below. */
function withoutFrontmatter(text: string): string {
  const match = /^---\n[\s\S]*?\n---\n+/.exec(text);
  return match === null ? text : text.slice(match[0].length);
}

function metaLines(meta: Meta, columns: number | null): string[] {
  const json = renderTerminalLine(JSON.stringify(meta));
  const cut =
    json.length > META_MAX_CHARS ? `${json.slice(0, META_MAX_CHARS).toWellFormed()}…` : json;
  if (columns === null) return [`meta: ${cut}`];
  const label = 'meta: ';
  const lines = wrapToWidth(cut, columns - label.length, ',');
  const shown = lines.slice(0, META_LINES_MAX);
  if (lines.length > shown.length) shown[shown.length - 1] += ' …';
  return shown.map((line, index) => (index === 0 ? label : ' '.repeat(label.length)) + line);
}
