import type { Hash } from '@uncaged/protocol/ids';
import type { Meta } from '@uncaged/protocol/workflow';
import type { Store } from '../../store/index.js';
import { renderTerminalLine, renderTerminalText, truncateToWidth } from '../output/index.js';
import {
  CONTENT_HEAD_BYTES,
  CONTENT_LINE_MAX_COLUMNS,
  CONTENT_LINES_MAX,
  META_MAX_CHARS,
} from './limits.js';

/** First lines of a step's content, indented, then how many more there are; then its meta. */
export function stepBody(store: Store, step: { content: Hash | null; meta: Meta }): string[] {
  return [...(step.content === null ? [] : contentLines(store, step.content)), metaLine(step.meta)];
}

function contentLines(store: Store, content: Hash): string[] {
  if (!store.nodes.has(content)) return [`  (content not in CAS; contentHash=${content})`];
  const size = store.nodes.contentSize(content);
  if (size === 0) return ['  (no output)'];
  const lines = withoutFrontmatter(
    renderTerminalText(store.nodes.readText(content, CONTENT_HEAD_BYTES)),
  )
    .trimEnd()
    .split('\n');
  const shown = lines
    .slice(0, CONTENT_LINES_MAX)
    .map((line) => `  ${truncateToWidth(line, CONTENT_LINE_MAX_COLUMNS)}`.trimEnd());
  const more = lines.length - shown.length;
  if (size > CONTENT_HEAD_BYTES) return [...shown, `  … (${size} bytes in all)`];
  return more > 0 ? [...shown, `  … (${more} more ${more === 1 ? 'line' : 'lines'})`] : shown;
}

/** The frontmatter is the meta, which is printed below. */
function withoutFrontmatter(text: string): string {
  const match = /^---\n[\s\S]*?\n---\n+/.exec(text);
  return match === null ? text : text.slice(match[0].length);
}

function metaLine(meta: Meta): string {
  const json = JSON.stringify(meta);
  const shown =
    json.length > META_MAX_CHARS ? `${json.slice(0, META_MAX_CHARS).toWellFormed()}…` : json;
  return `  meta: ${renderTerminalLine(shown)}`;
}
