import { encodeHash } from '@uncaged/protocol/ids';
import type { Connection } from './connection.js';
import { eventFailure } from './event-table.js';
import { type Leases, leaseLost } from './lease-table.js';
import type { Nodes } from './node-table.js';
import { createStepHistory } from './step-history.js';
import { SELECT_STEP, type StoredStep, toStepRow } from './step-row.js';
import type { EventTable, LiveTable, OpenAttempt, StepKey, StepTable } from './store.js';

type StepTableInput = {
  connection: Connection;
  nodes: Nodes;
  leases: Leases;
  events: EventTable;
  live: LiveTable;
  clock: () => number;
};

/** Of SQLite: no LIMIT. */
const NO_LIMIT = -1;

export function createStepTable({
  connection,
  nodes,
  leases,
  events,
  live,
  clock,
}: StepTableInput): StepTable {
  const insert = connection.change(`
    INSERT INTO step(thread, seq, attempt, role, agent, status, startedAt) VALUES(?, ?, ?, ?, ?, 'running', ?)`);
  const setProcess = connection.change(
    'UPDATE step SET pgid=?, processStart=? WHERE thread=? AND seq=? AND attempt=?',
  );
  const setChild = connection.change(
    "UPDATE step SET childThread=? WHERE thread=? AND seq=? AND attempt=? AND status='running'",
  );
  const place = connection.query<{ head: Buffer; headId: number; start: Buffer; startId: number }>(`
    SELECT headNode.hash AS head, headNode.id AS headId, startNode.hash AS start, startNode.id AS startId
    FROM lease JOIN thread ON thread.id=lease.thread
    JOIN node AS headNode ON headNode.id=thread.head JOIN node AS startNode ON startNode.id=thread.start
    WHERE lease.thread=? AND lease.fence=?`);
  const close = connection.change(`
    UPDATE step SET status='committed', node=?, committedAt=max(startedAt, ?), childThread=?, tokensInput=?, tokensCacheRead=?,
      tokensCacheWrite=?, tokensOutput=?, usd=?
    WHERE thread=? AND seq=? AND attempt=? AND status='running'`);
  const advance = connection.change(`
    UPDATE thread SET head=?, role=?, steps=steps+1, tokensInput=tokensInput+?, tokensCacheRead=tokensCacheRead+?,
      tokensCacheWrite=tokensCacheWrite+?, tokensOutput=tokensOutput+?, usd=usd+?, updatedAt=?
    WHERE id=?`);
  const fail = connection.change(`
    UPDATE step SET status=?, problem=?, committedAt=max(startedAt, ?) WHERE thread=? AND seq=? AND attempt=? AND status='running'
    RETURNING role`);
  const roleOf = connection.value<string>(
    'SELECT role FROM step WHERE thread=? AND seq=? AND attempt=?',
  );

  return {
    start: ({ thread, seq, attempt, fence, role, agent, startedAt }) => {
      leases.check(thread, fence);
      // What an earlier attempt said would mix with what this one says.
      live.clear(thread, seq);
      insert(thread, seq, attempt, role, agent, startedAt);
      events.append({ thread, type: 'step.started', data: { seq, attempt, role, agent } });
    },
    setProcess: ({ thread, seq, attempt }, { pgid, processStart }) =>
      void setProcess(pgid, processStart, thread, seq, attempt),
    setChild: ({ thread, seq, attempt, fence }, child) => {
      leases.check(thread, fence);
      if (setChild(child, thread, seq, attempt).changes !== 1)
        throw notRunning({ thread, seq, attempt });
      const role = roleOf(thread, seq, attempt);
      events.append({
        thread,
        type: 'step.nested',
        data: { seq, attempt, role, childThread: child },
      });
    },
    commit: ({ thread, seq, attempt, fence, state, casRefs, usage, usd }) => {
      const chain = place.get(thread, fence);
      if (chain === undefined) throw leaseLost(thread);
      const start = encodeHash(chain.start);
      const head = encodeHash(chain.head);
      const ancestors = head === start ? [] : nodes.after(head);
      const known = new Map([
        [start, chain.startId],
        [head, chain.headId],
      ]);
      const { hash, id } = nodes.putState({ ...state, attempt, start, ancestors }, casRefs, known);
      const now = clock();
      const tokens = [
        usage?.input ?? 0,
        usage?.cacheRead ?? 0,
        usage?.cacheWrite ?? 0,
        usage?.output ?? 0,
      ];
      const closed = close(id, now, state.childThread, ...tokens, usd, thread, seq, attempt);
      if (closed.changes !== 1) throw notRunning({ thread, seq, attempt });
      advance(id, state.role, ...tokens, usd, now, thread);
      live.clear(thread, seq);
      events.append({
        thread,
        type: 'step.committed',
        data: { seq, attempt, role: state.role, hash },
      });
      return hash;
    },
    fail: ({ thread, seq, attempt, fence, status, problem, endedAt }) => {
      leases.check(thread, fence);
      const role = roleOf(thread, seq, attempt);
      const closed = fail(status, JSON.stringify(problem), endedAt, thread, seq, attempt);
      if (closed.changes !== 1) throw notRunning({ thread, seq, attempt });
      live.clear(thread, seq);
      events.append({
        thread,
        type: 'step.failed',
        data: { seq, attempt, role, status, problem: eventFailure(problem) },
      });
    },
    ...createStepQueries(connection, nodes),
    ...createStepHistory(connection),
  };
}

function createStepQueries(
  connection: Connection,
  nodes: Nodes,
): Pick<StepTable, 'list' | 'byHash' | 'attempts' | 'lastOpen' | 'lastChild'> {
  const list = connection.query<StoredStep>(
    `${SELECT_STEP} WHERE step.thread=? AND (step.seq, step.attempt)>(?, ?) ORDER BY step.seq, step.attempt LIMIT ?`,
  );
  const byNode = connection.query<StoredStep>(
    `${SELECT_STEP} WHERE step.node=? ORDER BY step.thread, step.seq`,
  );
  const attempts = connection.value<number>(
    'SELECT max(attempt) FROM step WHERE thread=? AND seq=?',
  );
  const lastChild = connection.query<StoredStep>(
    `${SELECT_STEP} WHERE step.thread=? AND step.seq=? AND step.childThread IS NOT NULL ORDER BY step.attempt DESC LIMIT 1`,
  );
  const lastOpen = connection.query<OpenAttempt>(`
    SELECT seq, attempt, pgid, processStart FROM step
    WHERE thread=? AND status<>'committed' ORDER BY seq DESC, attempt DESC LIMIT 1`);
  return {
    list: (thread, query = {}) =>
      list
        .all(thread, query.after?.seq ?? 0, query.after?.attempt ?? 0, query.limit ?? NO_LIMIT)
        .map(toStepRow),
    byHash: (hash) => {
      const id = nodes.idOf(hash);
      return id === null ? [] : byNode.all(id).map(toStepRow);
    },
    attempts: (thread, seq) => attempts(thread, seq) ?? 0,
    lastChild: (thread, seq) => {
      const row = lastChild.get(thread, seq);
      return row === undefined ? null : toStepRow(row);
    },
    lastOpen: (thread) => lastOpen.get(thread) ?? null,
  };
}

function notRunning({ thread, seq, attempt }: StepKey): Error {
  return new Error(`step ${thread}/${seq}, attempt ${attempt}, is not running`);
}
