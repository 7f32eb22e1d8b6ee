import type { StepJson } from '@uncaged/protocol/api';
import type { Payload } from '@uncaged/protocol/cas';
import type { Hash } from '@uncaged/protocol/ids';
import { isProblem } from '@uncaged/protocol/problem';
import type { Failure, StepRow, Store } from '../store/index.js';
import { STEP_CONTENT_BYTES } from './limits.js';
import { toTime, toTimeOrNull } from './time.js';

/** One attempt at one step; what its node says is null until it is committed. What is damaged is said, not thrown. */
export function stepJson(store: Store, row: StepRow): StepJson {
  const { state, problem } = readState(store, row);
  const contentHash = state?.content ?? null;
  const content = contentHash === null ? NO_CONTENT : readContent(store, contentHash);
  return {
    threadId: row.thread,
    seq: row.seq,
    attempt: row.attempt,
    role: row.role,
    agent: row.agent,
    status: row.status,
    problem: row.problem,
    hash: row.hash,
    contentHash,
    content: content.text,
    contentSize: content.size,
    contentProblem: problem ?? content.problem,
    meta: state?.meta ?? null,
    startedAt: toTime(row.startedAt),
    committedAt: toTimeOrNull(row.committedAt),
    childThread: row.childThread,
    usage: row.usage,
    usd: row.usd,
  };
}

/** Null before its commit. Throws store-damaged. */
export function stateOf(store: Store, row: StepRow): Payload<'state'> | null {
  const node = row.hash === null ? null : store.nodes.get(row.hash);
  return node?.type === 'state' ? node.payload : null;
}

/** `stateOf` for those who show the other steps all the same. */
export function readState(
  store: Store,
  row: StepRow,
): { state: Payload<'state'> | null; problem: Failure | null } {
  try {
    return { state: stateOf(store, row), problem: null };
  } catch (error) {
    return { state: null, problem: lossOf(error) };
  }
}

type ReadContent = { text: string | null; size: number | null; problem: Failure | null };

const NO_CONTENT: ReadContent = { text: null, size: null, problem: null };

function readContent({ nodes }: Store, hash: Hash): ReadContent {
  try {
    return {
      text: nodes.readText(hash, STEP_CONTENT_BYTES),
      size: nodes.contentSize(hash),
      problem: null,
    };
  } catch (error) {
    return { ...NO_CONTENT, problem: lossOf(error) };
  }
}

/** What is damaged or missing, for people to read beside what is not. Throws everything else. */
export function lossOf(error: unknown): Failure {
  const isLoss = isProblem(error, 'store-damaged') || isProblem(error, 'node-not-found');
  if (!isLoss) throw error;
  return { code: error.code, message: error.message };
}
