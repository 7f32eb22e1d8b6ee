import { Problem } from '@uncaged/protocol/problem';

const SECOND_MS = 1000;
const DAY_MS = 24 * 60 * 60 * SECOND_MS;
const UNIT_MS: Readonly<Record<string, number>> = {
  s: SECOND_MS,
  m: 60 * SECOND_MS,
  h: 60 * 60 * SECOND_MS,
  d: DAY_MS,
};
const LIFETIME = /^(\d{1,9})([smhd])$/;
/** Longer than any key is kept; whoever wants more says `never`. */
const LIFETIME_MAX_MS = 3650 * DAY_MS;

/** Of a token: long enough for a quarter, short enough that a forgotten one does not live on for years. */
export const LIFETIME_DEFAULT = '90d';

/** `90s`, `10m`, `2h`, `90d` → ms; `never` → null. Throws invalid-argument. */
export function parseLifetime(text: string): number | null {
  if (text === 'never') return null;
  const match = LIFETIME.exec(text);
  const ms = match === null ? 0 : Number(match[1]) * UNIT_MS[match[2]!]!;
  if (ms > 0 && ms <= LIFETIME_MAX_MS) return ms;
  throw new Problem(
    'invalid-argument',
    `--expires ${JSON.stringify(text)} is no time that a token can be good for: say 90s, 10m, 2h, 90d (at most 3650d) or never.`,
  );
}
