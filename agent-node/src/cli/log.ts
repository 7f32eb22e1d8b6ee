import { setTimeout as sleep } from 'node:timers/promises';
import { PAGE_DEFAULT } from '@uncaged/protocol/limits';
import type { Command } from 'commander';
import { cleanLogs, type LogFile, listLogs, readLimits, recoverDead } from '../executor/index.js';
import { readAge } from './age.js';
import type { CliContext } from './context.js';
import { findLog } from './log/find-log.js';
import { LOG_CLEAN_AGE } from './log/limits.js';
import { createLineReader } from './log/line-reader.js';
import { parseRecord, recordLine } from './log/log-record.js';
import { formatBytes, formatDuration, type Output, renderTerminalLine } from './output/index.js';
import { subcommand } from './program.js';
import { type CommandInput, command, commandWithoutStore, type Options } from './run-command.js';
import { FOLLOW_LOOK_MS } from './thread/limits.js';
import { readCount } from './thread/start-options.js';

export function register(log: Command, context: CliContext): void {
  subcommand(log, 'list', 'debug logs of threads and logs of workers, newest first')
    .option('--limit <n>', `at most so many (${PAGE_DEFAULT})`)
    .action(commandWithoutStore(context, list));

  subcommand(log, 'show <name>', 'the log of a thread (by its id) or of a worker')
    .option('-f, --follow', 'go on as it grows, until Ctrl-C')
    .action(commandWithoutStore(context, show));

  subcommand(log, 'clean', 'remove logs that nobody has written to for long')
    .option('--older-than <age>', `such as 12h, 30d (${LOG_CLEAN_AGE})`)
    .option('--dry-run', 'only say which')
    .action(
      command(context, async ({ store, out, json, clock, env }, _args, options) => {
        const limits = readLimits(env);
        const olderThanMs = readAge(String(options.olderThan ?? LOG_CLEAN_AGE), '--older-than');
        const dryRun = options.dryRun === true;
        await recoverDead(store, clock, limits);
        const { removed, keptBusy } = cleanLogs(store, {
          olderThanMs,
          dryRun,
          now: clock(),
          limits,
        });
        const bytes = sizeOf(removed);
        if (json) {
          out.json({ dryRun, bytes, removed: removed.map(logJson), keptBusy });
          return;
        }
        for (const { path } of removed) out.line(renderTerminalLine(path));
        const kept = keptBusy === 0 ? '' : `; kept ${keptBusy} of threads and workers not done`;
        const verb = dryRun ? 'would remove' : 'removed';
        out.line(`${verb} ${countOf(removed)}, ${formatBytes(bytes)}${kept}`);
      }),
    );
}

function list({ root, out, err, json, clock }: CommandInput, _: unknown, options: Options): void {
  const logs = listLogs(root);
  const shown = logs.slice(0, readCount(options.limit, '--limit') ?? PAGE_DEFAULT);
  if (json) {
    out.json({ items: shown.map(logJson), count: logs.length, bytes: sizeOf(logs) });
    return;
  }
  if (logs.length === 0) {
    err.line('no logs');
    return;
  }
  logTable(out, shown, clock());
  err.line(
    shown.length < logs.length
      ? `${shown.length} of ${countOf(logs)}, ${formatBytes(sizeOf(logs))}; more with --limit`
      : `${countOf(logs)}, ${formatBytes(sizeOf(logs))}`,
  );
}

async function show(input: CommandInput, args: readonly string[], options: Options): Promise<void> {
  const { root, out } = input;
  const log = findLog(listLogs(root), args[0] ?? '');
  const reader = createLineReader(log.path);
  const print = linePrinter(input, log);
  if (options.follow !== true) {
    reader.read(print, true);
    return;
  }
  const { signal } = input;
  while (!signal.aborted) {
    reader.read(print, false);
    await sleep(FOLLOW_LOOK_MS);
  }
  reader.read(print, true);
  if (out.isTTY) out.line();
}

/** Records of a thread as `live --debug` has them; lines that are none are passed over. A worker's lines as they are. */
function linePrinter({ out, json }: CommandInput, { kind }: LogFile): (line: string) => void {
  return (line) => {
    if (kind === 'worker') {
      if (json) out.jsonLine({ text: line });
      else out.text(line);
      return;
    }
    const record = parseRecord(line);
    if (record === null) return;
    if (json) out.jsonLine(record);
    else out.line(recordLine(record));
  };
}

function logTable(out: Output, logs: readonly LogFile[], now: number): void {
  out.table(
    [
      { header: 'OF' },
      { header: 'NAME' },
      { header: 'SIZE', align: 'right' },
      { header: 'AGE', align: 'right' },
      { header: 'PATH', flexible: true },
    ],
    logs.map(({ kind, name, size, modifiedAt, path }) => [
      kind,
      name,
      formatBytes(size),
      formatDuration(now - modifiedAt),
      renderTerminalLine(path),
    ]),
  );
}

function logJson({ kind, name, path, size, modifiedAt }: LogFile) {
  return { kind, name, path, size, modifiedAt: new Date(modifiedAt).toISOString() };
}

const sizeOf = (logs: readonly LogFile[]) => logs.reduce((sum, { size }) => sum + size, 0);
const countOf = ({ length }: readonly LogFile[]) => (length === 1 ? '1 log' : `${length} logs`);
