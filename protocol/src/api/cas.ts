import { z } from 'zod';
import { type NodeType, payloadSchemas } from '../cas/index.js';
import { hashSchema } from '../ids/index.js';

export const nodeTypeSchema = z.enum(Object.keys(payloadSchemas) as [NodeType, ...NodeType[]]);

/** A row of the list of what is stored. */
export const casEntrySchema = z
  .object({
    hash: hashSchema,
    type: nodeTypeSchema,
    size: z.int().nonnegative().describe('Bytes of the node.'),
  })
  .meta({ id: 'CasEntry' });
export type CasEntry = z.infer<typeof casEntrySchema>;

/** A node in full. */
export const casNodeSchema = z
  .object({
    hash: hashSchema,
    type: nodeTypeSchema,
    payload: z.record(z.string(), z.unknown()),
    refs: z.array(hashSchema),
  })
  .meta({ id: 'CasNode' });
export type CasNode = z.infer<typeof casNodeSchema>;
