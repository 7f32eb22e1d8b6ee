/** Ranges of characters that take two columns: East Asian wide and full-width, and pictographs. Unicode 15. */
const WIDE: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x231a, 0x231b],
  [0x23e9, 0x23ec],
  [0x25fd, 0x25fe],
  [0x2614, 0x2615],
  [0x2648, 0x2653],
  [0x26a1, 0x26a1],
  [0x26bd, 0x26be],
  [0x26c4, 0x26c5],
  [0x26d4, 0x26d4],
  [0x2705, 0x2705],
  [0x274c, 0x274c],
  [0x2753, 0x2757],
  [0x2795, 0x2797],
  [0x2b50, 0x2b55],
  [0x2e80, 0x303e],
  [0x3041, 0x33ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xa000, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x18cff],
  [0x1b000, 0x1b2ff],
  [0x1f004, 0x1f004],
  [0x1f0cf, 0x1f0cf],
  [0x1f18e, 0x1f19a],
  [0x1f1e6, 0x1f1ff],
  [0x1f200, 0x1f320],
  [0x1f32d, 0x1f64f],
  [0x1f680, 0x1f6ff],
  [0x1f7e0, 0x1f7eb],
  [0x1f90c, 0x1f9ff],
  [0x1fa70, 0x1faff],
  [0x20000, 0x3fffd],
];

const ASCII = /^[\x20-\x7e]*$/;
const ZERO = /^[\p{Mn}\p{Me}\p{Cf}]$/u;
const EMOJI_STYLE = 0xfe0f;

function codePointWidth(code: number): number {
  if (code < 0x300) return 1;
  if (ZERO.test(String.fromCodePoint(code))) return 0;
  return WIDE.some(([from, to]) => code >= from && code <= to) ? 2 : 1;
}

/** Columns that a cluster of code points (one visible character) takes. */
function clusterWidth(cluster: string): number {
  let width = 0;
  for (const character of cluster) {
    const code = character.codePointAt(0)!;
    if (code === EMOJI_STYLE) width = 2;
    width = Math.max(width, codePointWidth(code));
  }
  return width;
}

function clusters(text: string): string[] {
  const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

/** Columns the text takes on a terminal. Expects text without control characters. */
export function displayWidth(text: string): number {
  if (ASCII.test(text)) return text.length;
  return clusters(text).reduce((sum, cluster) => sum + clusterWidth(cluster), 0);
}

/** The longest beginning of at most `columns`, and the rest. The beginning has at least one visible character. */
export function splitAtWidth(text: string, columns: number): [string, string] {
  if (ASCII.test(text))
    return [text.slice(0, Math.max(columns, 1)), text.slice(Math.max(columns, 1))];
  let width = 0;
  let end = 0;
  for (const cluster of clusters(text)) {
    width += clusterWidth(cluster);
    if (width > columns && end > 0) break;
    end += cluster.length;
  }
  return [text.slice(0, end), text.slice(end)];
}

/** Cut to at most `columns`, with `…` in place of what is left out. */
export function truncateToWidth(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text;
  if (columns <= 0) return '';
  let width = 0;
  let kept = '';
  for (const cluster of ASCII.test(text) ? text : clusters(text)) {
    const next = clusterWidth(cluster);
    if (width + next > columns - 1) break;
    width += next;
    kept += cluster;
  }
  return `${kept}…`;
}
