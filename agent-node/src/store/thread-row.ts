import { encodeHash } from '@uncaged/protocol/ids';
import type { Failure, ThreadRow } from './types.js';

/** With the nodes that `start` and `head` point at, and the role of the step behind the last committed one, if it began. */
export const SELECT_THREAD = `
  SELECT thread.*, startNode.hash AS startHash, headNode.hash AS headHash,
    (SELECT step.role FROM step WHERE step.thread=thread.id AND step.seq=thread.steps+1
      ORDER BY step.attempt DESC LIMIT 1) AS nextRole
  FROM thread
  JOIN node AS startNode ON startNode.id=thread.start
  JOIN node AS headNode ON headNode.id=thread.head`;

export type StoredThread = Omit<
  ThreadRow,
  'version' | 'imported' | 'start' | 'head' | 'problem' | 'options' | 'usage'
> & {
  version: Buffer;
  imported: 0 | 1;
  startHash: Buffer;
  headHash: Buffer;
  problem: string | null;
  options: string;
  nextRole: string | null;
} & StoredTokens;

export type StoredTokens = {
  tokensInput: number;
  tokensCacheRead: number;
  tokensCacheWrite: number;
  tokensOutput: number;
};

export function toThreadRow(stored: StoredThread): ThreadRow {
  return {
    id: stored.id,
    workflow: stored.workflow,
    version: encodeHash(stored.version),
    kind: stored.kind,
    worker: stored.worker,
    start: encodeHash(stored.startHash),
    head: encodeHash(stored.headHash),
    status: stored.status,
    desired: stored.desired,
    reason: stored.reason,
    problem: parseFailure(stored.problem),
    // Older rows do not say it.
    options: { stopAt: null, ...JSON.parse(stored.options) },
    prompt200: stored.prompt200,
    workspace: stored.workspace,
    depth: stored.depth,
    parent: stored.parent,
    parentSeq: stored.parentSeq,
    forkedFrom: stored.forkedFrom,
    forkedSeq: stored.forkedSeq,
    imported: stored.imported === 1,
    fence: stored.fence,
    createdAt: stored.createdAt,
    queuedAt: stored.queuedAt,
    updatedAt: stored.updatedAt,
    startedAt: stored.startedAt,
    endedAt: stored.endedAt,
    returnCode: stored.returnCode,
    summary: stored.summary,
    role: stored.nextRole ?? stored.role,
    steps: stored.steps,
    usage: toUsage(stored),
    usd: stored.usd,
  };
}

export function toUsage(stored: StoredTokens): ThreadRow['usage'] {
  return {
    input: stored.tokensInput,
    cacheRead: stored.tokensCacheRead,
    cacheWrite: stored.tokensCacheWrite,
    output: stored.tokensOutput,
  };
}

export function parseFailure(text: string | null): Failure | null {
  return text === null ? null : JSON.parse(text);
}
