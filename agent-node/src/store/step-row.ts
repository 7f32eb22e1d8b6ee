import { encodeHash } from '@uncaged/protocol/ids';
import { parseFailure, type StoredTokens, toUsage } from './thread-row.js';
import type { StepRow } from './types.js';

export const SELECT_STEP =
  'SELECT step.*, node.hash AS hash FROM step LEFT JOIN node ON node.id=step.node';

export type StoredStep = Omit<StepRow, 'hash' | 'problem' | 'usage'> & {
  hash: Buffer | null;
  problem: string | null;
} & StoredTokens;

export function toStepRow(stored: StoredStep): StepRow {
  return {
    thread: stored.thread,
    seq: stored.seq,
    attempt: stored.attempt,
    hash: stored.hash === null ? null : encodeHash(stored.hash),
    role: stored.role,
    agent: stored.agent,
    status: stored.status,
    problem: parseFailure(stored.problem),
    startedAt: stored.startedAt,
    committedAt: stored.committedAt,
    pgid: stored.pgid,
    processStart: stored.processStart,
    childThread: stored.childThread,
    usage: toUsage(stored),
    usd: stored.usd,
  };
}
