import { PAGE_MAX } from '@uncaged/protocol/limits';
import type { Command } from 'commander';
import { readLimits, recoverDead } from '../executor/index.js';
import { threadSummary } from '../views/index.js';
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
      if (json) {
        out.json({
          items: rows.map((row) => ({ ...threadSummary(row), pid: pids.get(row.id) ?? null })),
        });
        return;
      }
      if (rows.length === 0) err.line('nothing is running');
      else threadTable(out, rows, { clock, pids });
    }),
  );
}
