import {
  MARKDOWN_LINE_MAX_CHARS,
  MARKDOWN_TOTAL_MAX_BYTES,
  READ_FILE_MAX_BYTES,
} from '../limits.js';
import { code, shownName } from '../printable.js';
import { directoryOf, extensionOf, isForeign } from '../tracked-files.js';
import { resolveInside } from './resolve-inside.js';
import { type CheckContext, type Fault, FINE, type FileCheck } from './types.js';

/** Relative links and images of Markdown files that lead to nothing. */
export const markdownLinks: FileCheck = {
  kind: 'file',
  name: 'markdown-links',
  maxBytes: READ_FILE_MAX_BYTES,
  maxTotalBytes: MARKDOWN_TOTAL_MAX_BYTES,
  applies: (file) => /^(md|markdown)$/.test(extensionOf(file.key)) && !isForeign(file.key),
  judge: (file, bytes, context) => {
    const faults: Fault[] = [];
    for (const { line, target } of relativeLinks(bytes.toString('utf8'))) {
      const key = resolveInside(directoryOf(file.key), target);
      // Out of the repository: the forge's own pages (`../../issues`), not files.
      if (key === null || key === '' || leadsSomewhere(key, context)) continue;
      faults.push({ line, what: `link to ${code(shownName(target))}, which does not exist` });
    }
    return faults.length === 0 ? FINE : { faults };
  },
};

// Site generators take a page's name without its extension, or the page it will become.
const PAGE_FORMS = ['.md', '.mdx', '/index.md', '/README.md'];

function leadsSomewhere(key: string, { names, directories, reader }: CheckContext): boolean {
  if (names.has(key) || directories.has(key)) return true;
  const stem = key.replace(/\.html?$/, '');
  return PAGE_FORMS.some((form) => names.has(`${stem}${form}`)) || reader.exists(key);
}

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const CODE_SPAN = /(`+)(?!`)[\s\S]*?[^`]\1(?!`)/g;
// Text in brackets, then a target in parentheses: bare (with balanced parentheses inside) or in angle brackets.
const INLINE =
  /\]\(\s*(?:<([^<>\n]*)>|((?:[^\s()\\]|\\.|\([^\s()]*\))+))(?:\s+(?:"[^"\n]*"|'[^'\n]*'|\([^()\n]*\)))?\s*\)/g;
const DEFINITION = /^ {0,3}\[(?!\^)[^\]\n]+\]:\s+(?:<([^<>\n]*)>|(\S+))\s*(?:["'(].*)?$/;
const ELSEWHERE = /^([a-z][a-z0-9+.-]*:|\/|#|\?|~)/i;
const PLACEHOLDER = /[{}<>$*|]|^\.\.\.$|^(url|link|path|href|target|src)$/i;

/**
 * Targets of the relative links of a Markdown text, without code, anchors and queries: the bytes of each as
 * Latin-1 characters, as names are kept. Lines from 1.
 */
export function relativeLinks(text: string): { line: number; target: string }[] {
  const links: { line: number; target: string }[] = [];
  let fence: string | null = null;
  let comment = false;
  for (const [index, raw] of text.split('\n').entries()) {
    if (raw.length > MARKDOWN_LINE_MAX_CHARS) continue;
    const mark = FENCE.exec(raw)?.[1];
    if (fence !== null) {
      if (mark !== undefined && mark[0] === fence[0] && mark.length >= fence.length) fence = null;
      continue;
    }
    if (mark !== undefined) {
      fence = mark;
      continue;
    }
    const opened = raw.lastIndexOf('<!--');
    const closed = raw.lastIndexOf('-->');
    if (comment || opened !== -1) {
      comment = closed === -1 || opened > closed;
      continue;
    }
    const line = raw.replace(CODE_SPAN, (span) => ' '.repeat(span.length));
    const definition = DEFINITION.exec(line);
    const matches = definition === null ? line.matchAll(INLINE) : [definition];
    for (const match of matches) {
      const target = relativeTarget(match[1] ?? match[2] ?? '');
      if (target !== null) links.push({ line: index + 1, target });
    }
  }
  return links;
}

function relativeTarget(written: string): string | null {
  if (written === '' || ELSEWHERE.test(written) || PLACEHOLDER.test(written)) return null;
  // A word without a dot or a slash is more often prose (`array[i](x)`) than a path, but for the likes of LICENSE.
  if (!/[./]|^[A-Z][A-Z_-]+$/.test(written)) return null;
  const path = written.replace(/[?#].*$/, '').replace(/\\([!-/:-@[-`{-~])/g, '$1');
  const bytes = Buffer.from(path, 'utf8').toString('latin1');
  return bytes === ''
    ? null
    : bytes.replace(/%([0-9a-f]{2})/gi, (_, hex: string) =>
        String.fromCharCode(Number.parseInt(hex, 16)),
      );
}
