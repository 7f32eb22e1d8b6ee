import { z } from 'zod';
import { type ProblemCode, problemCodes } from '../problem/index.js';

/** Every answer that is a failure: `application/problem+json` (RFC 9457). */
export const problemSchema = z
  .object({
    type: z.string().describe('`urn:uncaged:problem:<code>`'),
    title: z.string(),
    status: z.int(),
    code: z.enum(Object.keys(problemCodes) as [ProblemCode, ...ProblemCode[]]),
    detail: z.string().describe('What was wrong, where, and what to do.'),
    errors: z.unknown().optional().describe('Each fault with its place, where there are several.'),
  })
  .meta({ id: 'Problem' });
