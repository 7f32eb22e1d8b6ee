/**
 * Text of agents and programs may hold anything a terminal obeys: moving the cursor, setting the title, writing to the
 * clipboard, reversing the order of letters. Shown text keeps only line breaks and tabs.
 */

const ESC = 0x1b;
const BEL = 0x07;
const ST = 0x9c;
const STRING_ENDS = ['\u0007', '\u009c', '\u001b'];
/** OSC, DCS, PM, APC, SOS: strings that end with ST (or BEL). As second byte after ESC, and as one C1 character. */
const STRING_AFTER_ESC = new Set([0x5d, 0x50, 0x5e, 0x5f, 0x58]);
const STRING_C1 = new Set([0x9d, 0x90, 0x9e, 0x9f, 0x98]);

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it looks for
const SPECIAL = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it looks for
const COLOUR = /\x1b\[[\d;]*m/g;
const DIRECTION = /[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/**
 * Makes untrusted text safe for a terminal. Control sequences are dropped, a line that was drawn over (`\r`, `\b`, erase in
 * line: progress bars) shows its last state, marks that change the direction of text are written out, NUL is shown as ␀.
 */
export function renderTerminalText(text: string): string {
  const whole = text.isWellFormed() ? text : text.toWellFormed();
  if (!SPECIAL.test(whole)) return whole;
  // By far the most frequent ones; they move nothing.
  return whole
    .replace(COLOUR, '')
    .split('\n')
    .map((line) => (SPECIAL.test(line) ? renderLine(line) : line))
    .join('\n');
}

/** For one-line places (tables, prompts): line breaks and tabs become spaces too. */
export function renderTerminalLine(text: string): string {
  return renderTerminalText(text)
    .replace(/\s*[\n\t]\s*/g, ' ')
    .trim();
}

function writeOut(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** One line as a row of cells with a cursor. A cell is a code point with the marks that combine with it. */
function renderLine(line: string): string {
  const cells: string[] = [];
  let cursor = 0;
  // Looked for once: a line may open any number of strings that never end.
  const lastEnd = Math.max(...STRING_ENDS.map((end) => line.lastIndexOf(end)));
  const put = (character: string) => {
    cells[cursor] = character;
    cursor++;
  };
  for (let at = 0; at < line.length; ) {
    const code = line.codePointAt(at)!;
    const width = code > 0xffff ? 2 : 1;
    if (code === ESC || (code >= 0x80 && code <= 0x9f)) {
      const sequence = readSequence(line, at, lastEnd);
      at = sequence.end;
      if (sequence.command !== null) cursor = obey(sequence.command, cells, cursor);
      continue;
    }
    at += width;
    if (code === 0x0d) cursor = 0;
    else if (code === 0x08) cursor = Math.max(0, cursor - 1);
    else if (code === 0) put('␀');
    else if ((code < 0x20 && code !== 0x09) || code === 0x7f || code === 0xfeff) continue;
    else put(String.fromCodePoint(code));
  }
  return cells.join('').replace(DIRECTION, writeOut);
}

type Sequence = {
  end: number;
  /** A CSI command that acts within its line. */
  command: { final: string; parameter: number } | null;
};

/** The control sequence that begins at `start`. One without an end loses its introducer only, so no text is swallowed. */
function readSequence(line: string, start: number, lastEnd: number): Sequence {
  const first = line.charCodeAt(start);
  const second = first === ESC ? line.charCodeAt(start + 1) : Number.NaN;
  if (first === 0x9b || second === 0x5b)
    return readCsi(line, start, first === 0x9b ? start + 1 : start + 2);
  if (STRING_C1.has(first)) return { end: endOfString(line, start + 1, lastEnd), command: null };
  if (first !== ESC) return { end: start + 1, command: null };
  if (STRING_AFTER_ESC.has(second))
    return { end: endOfString(line, start + 2, lastEnd), command: null };
  // ESC, intermediates, one final character
  let at = start + 1;
  while (at < line.length && line.charCodeAt(at) >= 0x20 && line.charCodeAt(at) <= 0x2f) at++;
  const final = line.charCodeAt(at);
  return { end: final >= 0x30 && final <= 0x7e ? at + 1 : start + 1, command: null };
}

function readCsi(line: string, start: number, parametersAt: number): Sequence {
  let at = parametersAt;
  while (at < line.length && line.charCodeAt(at) >= 0x30 && line.charCodeAt(at) <= 0x3f) at++;
  const parametersEnd = at;
  while (at < line.length && line.charCodeAt(at) >= 0x20 && line.charCodeAt(at) <= 0x2f) at++;
  const final = line.charCodeAt(at);
  // Cut off or interrupted: what was read of it is dropped, what follows is text.
  if (!(final >= 0x40 && final <= 0x7e)) return { end: Math.max(at, start + 1), command: null };
  const digits = /^\d{1,6}$/.exec(line.slice(parametersAt, parametersEnd));
  const empty = parametersAt === parametersEnd;
  const command =
    digits === null && !empty
      ? null
      : { final: line[at]!, parameter: empty ? 0 : Number(digits![0]) };
  return { end: at + 1, command };
}

function endOfString(line: string, from: number, lastEnd: number): number {
  for (let at = from; at <= lastEnd; at++) {
    const code = line.charCodeAt(at);
    if (code === BEL || code === ST) return at + 1;
    if (code === ESC) return line[at + 1] === '\\' ? at + 2 : at;
  }
  return from;
}

/**
 * Erases and moves within what is written already; returns the new cursor. Each costs the same however long the line is:
 * erasing all of it therefore goes on at its start, and erasing a beginning is left out.
 */
function obey(
  command: { final: string; parameter: number },
  cells: string[],
  cursor: number,
): number {
  const { final, parameter } = command;
  if (final === 'K' && parameter === 0) {
    cells.length = Math.min(cells.length, cursor);
    return cursor;
  }
  if (final === 'K' && parameter === 2) {
    cells.length = 0;
    return 0;
  }
  if (final === 'G') return Math.min(Math.max(parameter - 1, 0), cells.length);
  if (final === 'D') return Math.max(cursor - Math.max(parameter, 1), 0);
  if (final === 'C') return Math.min(cursor + Math.max(parameter, 1), cells.length);
  return cursor;
}
