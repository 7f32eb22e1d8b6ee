import { type Colors, createColors, wantsColor } from './color.js';
import { type Column, renderTable } from './table.js';
import { renderTerminalText } from './terminal-text.js';

/** What a command needs of a stream; `process.stdout` is one. */
export type OutputStream = {
  write: (chunk: string | Uint8Array) => boolean;
  isTTY?: boolean;
  columns?: number;
};

export type Output = {
  colors: Colors;
  isTTY: boolean;
  /** Columns of the terminal; null when it is none. */
  width: number | null;
  /** As it is: for text this program made, and for `--raw`. */
  write: (chunk: string | Uint8Array) => void;
  /** A line this program made. */
  line: (text?: string) => void;
  /** Text of agents, files, people: made safe, with a line break at its end. */
  text: (untrusted: string) => void;
  /** One JSON document. */
  json: (value: unknown) => void;
  /** One line of NDJSON. */
  jsonLine: (value: unknown) => void;
  table: (
    columns: readonly Column[],
    rows: readonly (readonly (string | number | null)[])[],
  ) => void;
};

export function createOutput(
  stream: OutputStream,
  env: Readonly<Record<string, string | undefined>>,
): Output {
  const isTTY = stream.isTTY === true;
  const colors = createColors(wantsColor(stream, env));
  const width = isTTY && stream.columns !== undefined && stream.columns > 0 ? stream.columns : null;
  const write = (chunk: string | Uint8Array) => void stream.write(chunk);
  return {
    colors,
    isTTY,
    width,
    write,
    line: (text = '') => write(`${text}\n`),
    text: (untrusted) => {
      const safe = renderTerminalText(untrusted);
      write(safe.endsWith('\n') ? safe : `${safe}\n`);
    },
    json: (value) => write(`${jsonText(value, 2)}\n`),
    jsonLine: (value) => write(`${jsonText(value)}\n`),
    table: (columns, rows) => write(renderTable(columns, rows, { width, header: colors.bold })),
  };
}

// JSON.stringify escapes C0 only; these reach a terminal as commands, or reverse what a person reads.
const UNSAFE_IN_JSON = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

/** JSON that means the same and is safe to print. */
export function jsonText(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(
    UNSAFE_IN_JSON,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
