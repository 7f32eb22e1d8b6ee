import { displayWidth, truncateToWidth } from './display-width.js';
import { renderTerminalLine } from './terminal-text.js';

export type Column = {
  header: string;
  align?: 'left' | 'right';
  /** May be cut when the table is wider than the terminal; others (ids, states) never are. */
  flexible?: boolean;
  /** Applied after padding, so that colours do not count as width. */
  style?: (text: string) => string;
};

const GAP = '  ';
/** A flexible column is not cut below this: a shorter text says nothing. */
const FLEXIBLE_MIN_COLUMNS = 8;

/**
 * Aligned lines, header first. Cells are made safe here. `width`: columns of the terminal, null = do not cut (a pipe).
 */
export function renderTable(
  columns: readonly Column[],
  rows: readonly (readonly (string | number | null)[])[],
  options: { width: number | null; header?: (text: string) => string },
): string {
  const cells = rows.map((row) =>
    columns.map((_, index) => renderTerminalLine(String(row[index] ?? '-'))),
  );
  const widths = columns.map((column, index) =>
    cells.reduce(
      (most, row) => Math.max(most, displayWidth(row[index]!)),
      displayWidth(column.header),
    ),
  );
  if (options.width !== null) fit(columns, widths, options.width);
  const line = (texts: readonly string[], style: (index: number, text: string) => string) =>
    texts
      .map((text, index) => {
        const cut = truncateToWidth(text, widths[index]!);
        const space = ' '.repeat(widths[index]! - displayWidth(cut));
        const last = index === texts.length - 1;
        const padded = columns[index]!.align === 'right' ? space + cut : cut + (last ? '' : space);
        return style(index, padded);
      })
      .join(GAP)
      .trimEnd();
  const headerStyle = options.header ?? ((text: string) => text);
  const lines = [
    line(
      columns.map((column) => column.header),
      (_, text) => headerStyle(text),
    ),
    ...cells.map((row) => line(row, (index, text) => columns[index]!.style?.(text) ?? text)),
  ];
  return `${lines.join('\n')}\n`;
}

/** Takes what is too much from the widest flexible column, one column at a time. */
function fit(columns: readonly Column[], widths: number[], available: number): void {
  let excess =
    widths.reduce((sum, width) => sum + width, 0) + GAP.length * (widths.length - 1) - available;
  while (excess > 0) {
    let widest = -1;
    columns.forEach((column, index) => {
      if (column.flexible !== true || widths[index]! <= FLEXIBLE_MIN_COLUMNS) return;
      if (widest < 0 || widths[index]! > widths[widest]!) widest = index;
    });
    if (widest < 0) return;
    widths[widest]!--;
    excess--;
  }
}
