import { PAGE_MAX } from '@uncaged/protocol/limits';
import type { Command } from 'commander';
import { readLimits, recoverDead } from '../executor/index.js';
import type { QueuePlace, Store, ThreadRow } from '../store/index.js';
import { concurrency, threadSummary } from '../views/index.js';
import type { CliContext } from './context.js';
import { withJson } from './program.js';
import { command } from './run-command.js';
import { threadTable } from './thread/thread-table.js';

export function register(ps: Command, context: CliContext): void {
  withJson(ps).action(
    command(context, async ({ store, out, err, json, clock, env }) => {
      await recoverDead(store, clock, readLimits(env));
      const rows = store.threads.list({
        statuses: ['queued', 'running', 'waiting'],
        limit: PAGE_MAX,
      });
      const pids = new Map(store.leases.list().map((lease) => [lease.thread, lease.pid]));
      const places = await queuePlaces(store, rows);
      if (json) {
        out.json({
          items: rows.map((row) => ({
            ...threadSummary(row),
            pid: pids.get(row.id) ?? null,
            queue: places.get(row.id) ?? null,
          })),
        });
        return;
      }
      if (rows.length === 0) err.line('nothing is running');
      else {
        const now = clock();
        threadTable(out, rows, { ranMs: (row) => store.steps.ranMs(row, now), pids, places });
      }
    }),
  );
}

/** Where each queued one of them stands. */
async function queuePlaces(
  store: Store,
  rows: readonly ThreadRow[],
): Promise<Map<string, QueuePlace>> {
  const queued = rows.filter((row) => row.status === 'queued');
  const places = new Map<string, QueuePlace>();
  if (queued.length === 0) return places;
  const limits = await concurrency(store);
  store.read(() => {
    for (const { id } of queued) {
      const place = store.threads.queuePlace(id, limits);
      if (place !== null) places.set(id, place);
    }
  });
  return places;
}
