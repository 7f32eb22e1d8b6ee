import { z } from 'zod';
import { PAGE_DEFAULT, PAGE_MAX } from '../limits.js';

/** A page of a list; `nextCursor` leads to the next one, null = this was the last. */
export function listSchema<T extends z.ZodType>(item: T) {
  return z.object({ items: z.array(item), nextCursor: z.string().nullable() });
}

/** Query of every list that has pages. The cursor is opaque: what `nextCursor` said. */
export const pageFields = {
  limit: z.coerce
    .number<string | number>()
    .int()
    .min(1)
    .max(PAGE_MAX)
    .default(PAGE_DEFAULT)
    .describe(`Entries of the page, at most ${PAGE_MAX}.`),
  cursor: z.string().max(64).optional().describe('`nextCursor` of the page before.'),
};
