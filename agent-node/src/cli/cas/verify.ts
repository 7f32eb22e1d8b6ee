import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { Damage } from '../../store/index.js';
import type { CliContext } from '../context.js';
import { countText } from '../output/index.js';
import {
  type Action,
  type CommandInput,
  command,
  commandWithoutStore,
  type StoreCommandInput,
} from '../run-command.js';
import { INTERRUPTED_EXIT_CODE, watchUpkeep } from './upkeep.js';

export function register(verify: Command, context: CliContext): void {
  const store = command(context, verifyStore);
  const pack = commandWithoutStore(context, verifyPackFile);
  verify
    .argument('[pack]', 'file of an exported thread; the store when absent')
    .action((...given) => {
      const [file] = given as [string | undefined];
      return file === undefined ? store(...given) : pack(...given);
    });
}

const verifyStore: Action<StoreCommandInput> = async (input) => {
  const { store, json, out, err } = input;
  const verified = await watchUpkeep(input, store.upkeep.verify());
  if (verified === null) {
    err.line('stopped; nothing is known of the rest');
    return INTERRUPTED_EXIT_CODE;
  }
  const { checked, damaged, damagedCount } = verified;
  if (json) out.json(verified);
  else if (damagedCount === 0)
    out.line(
      `checked ${countText(checked, 'entry', 'entries')}: ${checked === 1 ? 'it is as it was' : 'all are as they were'} stored`,
    );
  else {
    out.line(`checked ${countText(checked, 'entry', 'entries')}: ${damagedCount} damaged`);
    for (const damage of damaged) out.line(damageText(damage));
    if (damagedCount > damaged.length) out.line(`… and ${damagedCount - damaged.length} more`);
    err.line(
      'Their bytes are kept in the table quarantine of store.db. Restore a copy of the store, or store the same content ' +
        'again; steps that do not need them can still be read.',
    );
  }
  return damagedCount === 0 ? 0 : 1;
};

function damageText({ hash, type, reason, threads, isCut }: Damage): string {
  const needed =
    threads.length === 0
      ? 'no thread needs it'
      : `needed by ${threads.join(', ')}${isCut ? ', …' : ''}`;
  return `${hash}  ${type ?? 'unknown'}  ${reason}; ${needed}`;
}

const verifyPackFile: Action<CommandInput> = async ({ cwd, json, out }, [file]) => {
  const { verifyPack } = await import('../../pack/index.js');
  const report = await verifyPack(resolve(cwd, file!));
  if (json) {
    out.json(report);
    return;
  }
  const { threadId, threads, steps, nodes, sha256 } = report;
  const nested = threads === 1 ? '' : ` with ${threads - 1} nested`;
  out.line(
    `good: thread ${threadId}${nested}, ${countText(steps, 'step')}, ${countText(nodes, 'entry', 'entries')}`,
  );
  out.line(`sha256 ${sha256}`);
};
