import { failureSchema, threadDetailSchema, threadStatusSchema } from '@uncaged/protocol/api';
import { usageSchema } from '@uncaged/protocol/cas';
import {
  agentNameSchema,
  hashSchema,
  roleNameSchema,
  threadIdSchema,
  workflowNameSchema,
} from '@uncaged/protocol/ids';
import { z } from 'zod';
import type { StepRow, ThreadRow } from '../store/index.js';
import { PATH_MAX_CHARACTERS, TEXT_MAX_CHARACTERS } from './limits.js';

/** The JSON of a pack: what the tables say of a thread beside its nodes. Times in ms since epoch. */

const time = z.int().nonnegative();
const count = z.int().nonnegative();
const text = z.string().max(TEXT_MAX_CHARACTERS);
const problem = z.strictObject({ ...failureSchema.shape, message: text }).nullable();

export const headerSchema = z.strictObject({
  /** The thread that the pack is of; its rows come first. */
  root: threadIdSchema,
  /** Of the program that wrote it. */
  program: z.string().max(100),
  /** Identity of the store that it comes from. */
  store: z.string().max(100),
});
export type PackHeader = z.infer<typeof headerSchema>;

export const threadSchema = z.strictObject({
  id: threadIdSchema,
  workflow: workflowNameSchema,
  version: hashSchema,
  kind: z.enum(['definition', 'bundle']),
  start: hashSchema,
  head: hashSchema,
  status: threadStatusSchema,
  desired: z.enum(['run', 'pause', 'kill']),
  reason: threadDetailSchema.shape.reason,
  problem,
  options: z.strictObject(threadDetailSchema.shape.options.shape),
  prompt200: z.string().max(1000),
  workspace: z.string().max(PATH_MAX_CHARACTERS),
  depth: count,
  parent: threadIdSchema.nullable(),
  parentSeq: z.int().positive().nullable(),
  forkedFrom: threadIdSchema.nullable(),
  forkedSeq: count.nullable(),
  createdAt: time,
  queuedAt: time,
  updatedAt: time,
  startedAt: time.nullable(),
  endedAt: time.nullable(),
  returnCode: z.int().nullable(),
  summary: text.nullable(),
  steps: count,
  usage: usageSchema,
  usd: z.number().nonnegative(),
});
export type PackThreadRow = z.infer<typeof threadSchema>;

export const stepSchema = z.strictObject({
  seq: z.int().positive(),
  attempt: z.int().positive(),
  hash: hashSchema.nullable(),
  role: roleNameSchema,
  agent: agentNameSchema,
  status: z.enum(['running', 'committed', 'failed', 'interrupted', 'cancelled']),
  problem,
  startedAt: time,
  committedAt: time.nullable(),
  childThread: threadIdSchema.nullable(),
  usage: usageSchema,
  usd: z.number().nonnegative(),
});
export type PackStepRow = z.infer<typeof stepSchema>;

/** A thread with all attempts at its steps, in order. */
export type PackThread = { row: PackThreadRow; steps: PackStepRow[] };

/** Only what means something elsewhere: no process, no fence, no worker. */
export function threadJson(row: ThreadRow): PackThreadRow {
  const { worker: _w, imported: _i, fence: _f, role: _r, options, ...rest } = row;
  const { marks: _m, ...given } = options;
  return { ...rest, options: given };
}

export function stepJson(row: StepRow): PackStepRow {
  const { thread: _t, pgid: _p, processStart: _s, ...rest } = row;
  return rest;
}
