const KEY = /([A-Za-z_$/^][\w$/.@+~^*()-]*(?: [\w$/.@+~^*()-]+)*|"[^"\\]*"|'[^']*') *:(?= |$)/y;
const WORD_VALUE = /^(?:true|false|null)$/i;
const DASH = /- +(?=[^ ])|- *$/y;

const COMMENT = '(?: +#.*)?$';
const QUOTED = String.raw`"(?:[^"\\]|\\["\\/0abefnrtv])*"|'(?:[^']|'')*'`;
const FLOW_ITEM = String.raw`[\w.$/][\w.$/@+*-]*(?: [\w.$/@+*-]+)*|"[^"\\]*"|'[^']*'`;
const FLOW_LIST = String.raw`\[ *(?:(?:${FLOW_ITEM})(?: *, *(?:${FLOW_ITEM}))*)? *\]|\{ *\}`;
const CLOSED_VALUE = new RegExp(`^(?:${QUOTED}|${FLOW_LIST})${COMMENT}`);
const OPEN_TEXT = /^(?:[\w./$(+~^<=\\;]|-[^\s-])/;
const NOT_IN_TEXT = /:(?: |$)/;
const BLOCK_TEXT = /^[|>][+-]?(?: +#.*)?$/;

// What YAML forbids, treats as a line end in some versions, or lets stand for indentation.
const ODD = /[^\P{Cc}\n\r\t]|\r(?!\n)|[\u0085\u2028\u2029\ufeff\ufffe\uffff]/u;

type Frame = {
  column: number;
  /** Null: a sequence. */
  keys: Set<string> | null;
  /** The last entry has no value yet, so something deeper may follow. */
  open: boolean;
};

/**
 * Whether a text is YAML of the plain kind that nearly all files are: block mappings and sequences of simple scalars,
 * each on a line. `true` means that it is valid, `false` only that a full parser has to say.
 */
export function isPlainYaml(text: string): boolean {
  if (ODD.test(text)) return false;
  const lines = text.split(/\r?\n/);
  let frames = [root()];
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    if (/^ *(?:#.*)?$/.test(line)) continue;
    if (/^--- *$/.test(line)) {
      frames = [root()];
      continue;
    }
    if (line.includes('\t') || /^(?:---|\.\.\.|%)/.test(line)) return false;
    const value = takeEntries(frames, line);
    if (value === null) return false;
    if (BLOCK_TEXT.test(value)) {
      const end = endOfBlock(lines, at + 1, frames.at(-1)?.column ?? 0);
      if (end === null) return false;
      at = end - 1;
    } else if (!isSimple(value)) return false;
  }
  return true;
}

/** Takes the `- ` and the key that a line begins with; returns what is left, or null when the line is not plain. */
function takeEntries(frames: Frame[], line: string): string | null {
  let at = line.length - line.trimStart().length;
  for (;;) {
    DASH.lastIndex = at;
    const dash = DASH.exec(line)?.[0];
    if (dash === undefined) break;
    if (!enter(frames, at, null)) return null;
    at += dash.length;
  }
  KEY.lastIndex = at;
  const key = KEY.exec(line);
  if (key !== null) {
    if (!enter(frames, at, unquoted(key[1] ?? ''))) return null;
    at += key[0].length;
  }
  const frame = frames.at(-1);
  // Without an entry it goes on from the line before, or the document is one scalar.
  if (frame === undefined || at === line.length - line.trimStart().length) return null;
  const value = line.slice(at).trim();
  frame.open = value === '' || value.startsWith('#');
  return frame.open ? '' : value;
}

/** Holds the one node of a document. */
function root(): Frame {
  return { column: -1, keys: null, open: true };
}

function unquoted(key: string): string {
  return /^["']/.test(key) ? key.slice(1, -1) : key;
}

/** Begins an entry at a column: of a sequence, or of a mapping when it has a key. */
function enter(frames: Frame[], column: number, key: string | null): boolean {
  if (key !== null && (WORD_VALUE.test(key) || key.length > KEY_MAX_CHARS)) return false;
  while ((frames.at(-1)?.column ?? column) > column) frames.pop();
  // A sequence may stand at the column of the mapping that it is a value in.
  const [top, below] = [frames.at(-1), frames.at(-2)];
  if (key !== null && top?.keys === null && top.column === column && below?.column === column)
    frames.pop();
  const frame = frames.at(-1);
  if (frame === undefined) return false;
  if (frame.column === column && (frame.keys === null) === (key === null)) {
    if (key !== null && frame.keys?.has(key)) return false;
    if (key !== null) frame.keys?.add(key);
    frame.open = true;
    return true;
  }
  if (!frame.open || (frame.column === column && key !== null)) return false;
  frame.open = false;
  frames.push({ column, keys: key === null ? null : new Set([key]), open: true });
  return true;
}

function isSimple(value: string): boolean {
  if (value === '' || CLOSED_VALUE.test(value)) return true;
  if (!OPEN_TEXT.test(value)) return false;
  const comment = value.indexOf(' #');
  return !NOT_IN_TEXT.test(comment === -1 ? value : value.slice(0, comment));
}

/** The line after a block of text that belongs to an entry at `column`; null when it is not plain. */
function endOfBlock(lines: readonly string[], from: number, column: number): number | null {
  let indent: number | null = null;
  let widestBlank = 0;
  for (let at = from; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    const spaces = /^ */.exec(line)?.[0].length ?? 0;
    if (spaces === line.length) {
      widestBlank = Math.max(widestBlank, spaces);
      continue;
    }
    if (spaces <= column) return line[spaces] === '\t' ? null : at;
    if (indent === null) {
      if (widestBlank > spaces || line[spaces] === '\t') return null;
      indent = spaces;
    }
    if (spaces < indent) return null;
  }
  return lines.length;
}

/** YAML allows a key on one line no more than this, characters, with room for its quotes. */
const KEY_MAX_CHARS = 1_000;
