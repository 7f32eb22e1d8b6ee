import type { Command } from 'commander';
import { readLimits, recoverDead } from '../../executor/index.js';
import { registryRoots } from '../../registry/index.js';
import { type Collected, GC_GRACE_MS } from '../../store/index.js';
import { readAge } from '../age.js';
import type { CliContext } from '../context.js';
import { formatBytes } from '../output/index.js';
import { type Action, command, type StoreCommandInput } from '../run-command.js';
import { INTERRUPTED_EXIT_CODE, watchUpkeep } from './upkeep.js';

export function register(gc: Command, context: CliContext): void {
  gc.option('--grace <duration>', 'what was touched later than this long ago stays (1h; 0 = now)')
    .option('--dry-run', 'delete nothing, only say what would be')
    .option('--compact', 'write the database file anew afterwards; not while threads run')
    .action(command(context, collect));
}

const collect: Action<StoreCommandInput> = async (input, _, options) => {
  const { store, root, clock, env, json, out, err } = input;
  const grace = options.grace as string | undefined;
  const graceMs = grace === undefined ? GC_GRACE_MS : grace === '0' ? 0 : readAge(grace, '--grace');
  // What a dead worker had stored ahead is nobody's any more.
  await recoverDead(store, clock, readLimits(env));
  const work = store.upkeep.collect({
    registryRoots: () => registryRoots(root),
    graceMs,
    dryRun: options.dryRun === true,
    compact: options.compact === true,
  });
  const collected = await watchUpkeep(input, work);
  if (collected === null) {
    err.line('stopped; what is left goes the next time');
    return INTERRUPTED_EXIT_CODE;
  }
  if (json) {
    out.json(collected);
    return 0;
  }
  const { scannedThreads, activeRefs, deletedEntries } = collected;
  out.line(
    `scanned ${scannedThreads} threads, ${activeRefs} active refs, deleted ${deletedEntries} entries`,
  );
  for (const line of notes(collected)) err.line(line);
  return 0;
};

/** Beside the one line that scripts read. */
function notes({ dryRun, deletedBytes, freedBytes, graceEntries }: Collected): string[] {
  return [
    ...(dryRun ? ['dry run: nothing was deleted, this is what would be'] : []),
    `${formatBytes(deletedBytes)} of entries${dryRun ? '' : `; the file is ${formatBytes(freedBytes)} smaller`}`,
    ...(graceEntries === 0
      ? []
      : [
          `${graceEntries === 1 ? '1 entry is' : `${graceEntries} entries are`} not needed but too young to go (see --grace)`,
        ]),
  ];
}
