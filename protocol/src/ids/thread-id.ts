import { ulid } from 'ulid';
import { z } from 'zod';

/** ULID: 10 characters of milliseconds, 16 random; sorts by creation time. */
export type ThreadId = string;

export const threadIdSchema = z.string().regex(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/);

/** `now` in ms since epoch. */
export function createThreadId(now: number): ThreadId {
  return ulid(now);
}
