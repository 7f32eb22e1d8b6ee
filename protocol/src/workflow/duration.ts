import { DURATION_MAX_MS } from '../limits.js';

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

export const DURATION_PATTERN = /^(\d{1,12})(ms|s|m|h)$/;

/** `500ms`, `90s`, `10m`, `2h` → ms; null for any other text and for more than DURATION_MAX_MS. */
export function parseDuration(text: string): number | null {
  const match = DURATION_PATTERN.exec(text);
  if (match === null) return null;
  const ms = Number(match[1]) * (UNIT_MS[match[2] ?? ''] ?? Number.NaN);
  return ms <= DURATION_MAX_MS ? ms : null;
}
