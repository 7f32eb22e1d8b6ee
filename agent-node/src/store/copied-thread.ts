import { decodeHash, type Hash } from '@uncaged/protocol/ids';
import { Problem } from '@uncaged/protocol/problem';
import type { Connection } from './connection.js';
import { eventFailure, eventText } from './event-table.js';
import type { Nodes } from './node-table.js';
import type { EventTable, ThreadTable } from './store.js';
import type { EventType, StepRow, ThreadRow, ThreadStatus } from './types.js';

type CopyInput = { connection: Connection; nodes: Nodes; events: EventTable };

/** What a thread is here that was not over where it came from: nobody runs it, or waits for it. */
const AT_REST: Readonly<Partial<Record<ThreadStatus, ThreadStatus>>> = {
  queued: 'interrupted',
  running: 'interrupted',
  waiting: 'interrupted',
};

/**
 * A thread that was made elsewhere, with all its steps, in the caller's transaction; their nodes are here already. One that ran
 * is interrupted here, and so are its running attempts. Its one event says how it stands.
 */
export function createCopy({
  connection,
  nodes,
  events,
}: CopyInput): Pick<ThreadTable, 'insertCopy'> {
  const insertThread = connection.change(`
    INSERT INTO thread(id, workflow, version, kind, worker, start, head, status, desired, reason, problem, options, prompt200,
      workspace, depth, parent, parentSeq, forkedFrom, forkedSeq, imported, createdAt, queuedAt, updatedAt, startedAt, endedAt,
      returnCode, summary, role, steps, tokensInput, tokensCacheRead, tokensCacheWrite, tokensOutput, usd)
    VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  const insertStep = connection.change(`
    INSERT INTO step(thread, seq, attempt, node, role, agent, status, problem, startedAt, committedAt, childThread, tokensInput,
      tokensCacheRead, tokensCacheWrite, tokensOutput, usd)
    VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);

  function idOf(hash: Hash): number {
    const id = nodes.idOf(hash);
    if (id === null) throw new Problem('node-not-found', `There is no CAS entry ${hash}.`);
    return id;
  }

  function putThread(row: ThreadRow, status: ThreadStatus, role: string | null): void {
    insertThread(
      ...[row.id, row.workflow, decodeHash(row.version), row.kind, row.worker],
      ...[idOf(row.start), idOf(row.head), status, row.desired, row.reason],
      ...[json(row.problem), JSON.stringify(row.options), row.prompt200, row.workspace, row.depth],
      ...[row.parent, row.parentSeq, row.forkedFrom, row.forkedSeq],
      ...[row.createdAt, row.queuedAt, row.updatedAt, row.startedAt, row.endedAt],
      ...[row.returnCode, row.summary, role, row.steps],
      ...[row.usage.input, row.usage.cacheRead, row.usage.cacheWrite, row.usage.output, row.usd],
    );
  }

  function putStep(row: StepRow): void {
    insertStep(
      ...[row.thread, row.seq, row.attempt, row.hash === null ? null : idOf(row.hash)],
      ...[row.role, row.agent, row.status === 'running' ? 'interrupted' : row.status],
      ...[json(row.problem), row.startedAt, row.committedAt, row.childThread],
      ...[row.usage.input, row.usage.cacheRead, row.usage.cacheWrite, row.usage.output, row.usd],
    );
  }

  return {
    insertCopy: (row, steps) => {
      const status = AT_REST[row.status] ?? row.status;
      const last = steps.findLast((step) => step.status === 'committed');
      putThread(row, status, last?.role ?? null);
      for (const step of steps) putStep(step);
      events.append({
        thread: row.id,
        type: `thread.${status}` as EventType,
        data: {
          workflow: row.workflow,
          imported: true,
          ...(row.returnCode === null ? {} : { hash: row.head, returnCode: row.returnCode }),
          ...(row.summary === null ? {} : { summary: eventText(row.summary) }),
          ...(row.problem === null ? {} : { problem: eventFailure(row.problem) }),
          ...(row.reason === null ? {} : { reason: row.reason }),
        },
      });
    },
  };
}

function json(value: object | null): string | null {
  return value === null ? null : JSON.stringify(value);
}
