import { Problem } from '@uncaged/protocol/problem';
import { QUOTED_MAX_CHARACTERS } from './limits.js';

const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const AGE = /^(\d{1,9})([smhd])$/;

/** `45s`, `90m`, `12h`, `30d` → ms; `0s` is everything. Throws invalid-argument. */
export function readAge(text: string, option: string): number {
  const match = AGE.exec(text.trim());
  if (match !== null) return Number(match[1]) * UNIT_MS[match[2] as keyof typeof UNIT_MS];
  throw new Problem(
    'invalid-argument',
    `${option} takes an age such as 12h or 30d, not ${JSON.stringify(text.slice(0, QUOTED_MAX_CHARACTERS))}`,
  );
}
