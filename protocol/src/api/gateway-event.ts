import { z } from 'zod';
import { nodeNameSchema } from '../ids/index.js';
import { eventSchema, liveSchema, snapshotSchema } from './event.js';
import { machineSchema } from './machine.js';

/*
 * The merged stream of a gateway: `snapshot` first, then `node.up`, `node.down`, what nodes send, and `live`. Nothing is
 * replayed: whoever comes back gets a new snapshot.
 */

/** How a node stands, as far as its gateway knows. Null while its own stream has not begun. */
const nodeSnapshotSchema = snapshotSchema.nullable();

/** First event: every node that is known. */
export const gatewaySnapshotSchema = z
  .object({
    nodes: z.array(
      z.object({
        machine: machineSchema,
        snapshot: nodeSnapshotSchema.describe('Null: nothing is known yet, or it is away.'),
      }),
    ),
  })
  .meta({ id: 'GatewaySnapshot' });
export type GatewaySnapshotJson = z.infer<typeof gatewaySnapshotSchema>;

/** `node.up`: a node is there and its stream has begun, or begun again: what was known of its threads is replaced. */
export const nodeUpSchema = z
  .object({ node: nodeNameSchema, machine: machineSchema, snapshot: snapshotSchema })
  .meta({ id: 'NodeUp' });
export type NodeUpJson = z.infer<typeof nodeUpSchema>;

/** `node.down`: the link to a node has ended, or it was refused. */
export const nodeDownSchema = z
  .object({ node: nodeNameSchema, machine: machineSchema })
  .meta({ id: 'NodeDown' });
export type NodeDownJson = z.infer<typeof nodeDownSchema>;

/** An event of a node. */
export const placedEventSchema = eventSchema
  .extend({ node: nodeNameSchema })
  .meta({ id: 'PlacedEvent' });
export type PlacedEventJson = z.infer<typeof placedEventSchema>;

/** `live`: text of a step in flight. */
export const placedLiveSchema = liveSchema
  .extend({ node: nodeNameSchema })
  .meta({ id: 'PlacedLive' });
export type PlacedLiveJson = z.infer<typeof placedLiveSchema>;
