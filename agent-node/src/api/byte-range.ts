/** Bytes from `start` up to, not with, `end`. */
export type ByteRange = { start: number; end: number };

/**
 * What `Range` asks of something of `size` bytes. Null: all of it (no header, several ranges, another unit, not well-formed:
 * RFC 9110 lets a server pass over these). `unsatisfiable`: nothing of it lies inside.
 */
export function parseRange(
  header: string | undefined,
  size: number,
): ByteRange | 'unsatisfiable' | null {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? '');
  if (match === null) return null;
  const [, first = '', last = ''] = match;
  if (first === '') return last === '' ? null : tailOf(Number(last), size);
  const start = Number(first);
  const end = last === '' ? size : Math.min(Number(last) + 1, size);
  if (last !== '' && Number(last) < start) return null;
  return start < size ? { start, end } : 'unsatisfiable';
}

/** The last `bytes` of it, or all when it is shorter. */
export function tailOf(bytes: number, size: number): ByteRange | 'unsatisfiable' {
  return bytes === 0 || size === 0
    ? 'unsatisfiable'
    : { start: Math.max(0, size - bytes), end: size };
}
