import { SHOWN_NAME_CHARS, SHOWN_QUOTE_CHARS } from './limits.js';

// Control characters, line separators, direction overrides and invisible characters: in a file name they could
// forge lines of a report, colour a terminal or hide what a name really is.
const UNSAFE = /[\p{Cc}\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/gu;

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Text of others made safe to print: what cannot be seen is escaped as `\n` or `\u{1b}`. */
export function printable(text: string): string {
  return text
    .toWellFormed()
    .replace(UNSAFE, (char) => SHORT[char] ?? `\\u{${char.codePointAt(0)?.toString(16)}}`);
}

/**
 * A file name as shown. `key` holds the name's bytes as Latin-1 characters; a name that is not UTF-8 shows its
 * other bytes as `\xff`.
 */
export function shownName(key: string): string {
  const bytes = Buffer.from(key, 'latin1');
  const text = bytes.toString('utf8');
  const isUtf8 = !text.includes('\ufffd') || Buffer.from(text, 'utf8').equals(bytes);
  return shorten(printable(isUtf8 ? text : bytewise(bytes)), SHOWN_NAME_CHARS);
}

function bytewise(bytes: Buffer): string {
  let text = '';
  for (const byte of bytes) {
    text += byte < 0x80 ? String.fromCharCode(byte) : `\\x${byte.toString(16)}`;
  }
  return text;
}

/** Keeps both ends of a text that is too long: of a path the file's own name matters as much as its root. */
export function shorten(text: string, maxChars: number): string {
  const chars = [...text];
  if (chars.length <= maxChars) return text;
  const tail = Math.floor(maxChars / 2);
  return `${chars.slice(0, maxChars - tail - 1).join('')}…${chars.slice(-tail).join('')}`;
}

/** As Markdown code, whatever backticks it holds. */
export function code(text: string): string {
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map((run) => run[0].length));
  const fence = '`'.repeat(longest + 1);
  const pad = text.startsWith('`') || text.endsWith('`') ? ' ' : '';
  return `${fence}${pad}${text}${pad}${fence}`;
}

const MARKUP = /[<>[\]`*_|\\&]/;

/** What another program says about a file: as it is, or as code when a part of it could be read as Markdown. */
export function quoted(message: string): string {
  const text = shorten(printable(message), SHOWN_QUOTE_CHARS);
  return MARKUP.test(text) ? code(text) : text;
}

/** Code inside a Markdown table, where a bar would end the cell. */
export function codeCell(text: string): string {
  return code(text).replaceAll('|', '\\|');
}

/** Thousands separated, the same on every machine. */
export function count(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** `1 file`, `3 files`. */
export function counted(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

const KIB = 1024;

/** A size in bytes as people say it. */
export function size(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let value = bytes;
  let unit = 0;
  while (value >= KIB && unit < units.length - 1) {
    value /= KIB;
    unit += 1;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}
