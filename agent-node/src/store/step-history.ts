import type { Connection } from './connection.js';
import { SELECT_STEP, type StoredStep, toStepRow } from './step-row.js';
import type { StepTable } from './store.js';
import { type StoredTokens, toUsage } from './thread-row.js';

/** What the steps of a thread add up to, for those who list or compare threads or look for a place in one. */
export function createStepHistory(
  connection: Connection,
): Pick<StepTable, 'committed' | 'totals' | 'ranMs' | 'lastOfRole' | 'roles'> {
  const committed = connection.query<StoredStep>(
    `${SELECT_STEP} WHERE step.thread=? AND step.seq>? AND step.status='committed' ORDER BY step.seq LIMIT ?`,
  );
  const totals = connection.query<
    StoredTokens & { steps: number; usd: number; durationMs: number }
  >(`
    SELECT count(*) AS steps, coalesce(sum(tokensInput), 0) AS tokensInput,
      coalesce(sum(tokensCacheRead), 0) AS tokensCacheRead, coalesce(sum(tokensCacheWrite), 0) AS tokensCacheWrite,
      coalesce(sum(tokensOutput), 0) AS tokensOutput, coalesce(sum(usd), 0.0) AS usd,
      coalesce(sum(max(committedAt-startedAt, 0)), 0) AS durationMs
    FROM step WHERE thread=? AND seq>? AND status='committed'`);
  const ranMs = connection.value<number>(`
    SELECT coalesce(sum(max(coalesce(committedAt, CASE status WHEN 'running' THEN ? ELSE startedAt END)-startedAt, 0)), 0)
    FROM step WHERE thread=? AND seq>?`);
  const lastOfRole = connection.value<number>(
    "SELECT max(seq) FROM step WHERE thread=? AND role=? AND status='committed'",
  );
  const roles = connection.query<{ role: string }>(
    "SELECT role FROM step WHERE thread=? AND status='committed' GROUP BY role ORDER BY min(seq) LIMIT ?",
  );
  return {
    committed: (thread, { afterSeq, limit }) =>
      committed.all(thread, afterSeq, limit).map(toStepRow),
    totals: (thread, afterSeq) => {
      const row = totals.get(thread, afterSeq);
      if (row === undefined) throw new Error('an aggregate always has a row');
      return {
        steps: row.steps,
        usage: toUsage(row),
        usd: row.usd,
        durationMs: row.durationMs,
      };
    },
    ranMs: ({ id, forkedSeq }, now) => ranMs(now, id, forkedSeq ?? 0) ?? 0,
    lastOfRole: (thread, role) => lastOfRole(thread, role) ?? null,
    roles: (thread, limit) => roles.all(thread, limit).map(({ role }) => role),
  };
}
