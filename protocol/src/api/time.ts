import { z } from 'zod';

/** ISO 8601, UTC, milliseconds: `2026-01-31T09:30:00.000Z`. */
export const timeSchema = z.iso.datetime({ precision: 3 });

/** ms since epoch → the form of every time in the API and in `--json`. */
export function toTime(ms: number): string {
  return new Date(ms).toISOString();
}

export function toTimeOrNull(ms: number | null): string | null {
  return ms === null ? null : toTime(ms);
}
