import type { Lineage, Relative } from '@uncaged/protocol/api';
import type { Command } from 'commander';
import { getThread, readLimits, recoverDead } from '../../executor/index.js';
import { lineage } from '../../views/index.js';
import type { CliContext } from '../context.js';
import { parseThreadId } from '../ids.js';
import type { Output } from '../output/index.js';
import { command } from '../run-command.js';
import { paint } from './thread-table.js';

/** `thread lineage`: forks and nested threads as a tree. */
export function register(parent: Command, context: CliContext): void {
  parent.action(
    command(context, async (input, args) => {
      const { store, out, err, json, clock, env } = input;
      await recoverDead(store, clock, readLimits(env));
      const tree = lineage(store, getThread(store, parseThreadId(store, args[0] ?? '')));
      if (json) out.json(tree);
      else for (const line of treeLines(out, tree)) out.line(line);
      if (tree.isCut) err.line('there are more than are listed');
    }),
  );
}

/** `items` comes each after the one it hangs from: a line needs to know only whether more follow on its levels. */
function treeLines(out: Output, { threadId, items }: Lineage): string[] {
  const below = new Map<string | null, Relative[]>();
  for (const item of items) below.set(item.of, [...(below.get(item.of) ?? []), item]);
  const indents = new Map<string, string>();
  return items.map((item) => {
    const isLast = below.get(item.of)?.at(-1) === item;
    const indent = item.of === null ? '' : (indents.get(item.of) ?? '');
    const branch = item.of === null ? '' : isLast ? '└─ ' : '├─ ';
    indents.set(item.threadId, indent + (item.of === null ? '' : isLast ? '   ' : '│  '));
    return `${out.colors.dim(indent + branch)}${describe(out, item, item.threadId === threadId)}`;
  });
}

function describe(out: Output, item: Relative, isAsked: boolean): string {
  const { threadId, workflow, status, stepCount } = item;
  const id = isAsked ? out.colors.bold(threadId) : threadId;
  const steps = `${stepCount} ${stepCount === 1 ? 'step' : 'steps'}`;
  const how = relationOf(item);
  const words = [id, workflow, paint(out, status), steps, ...(how === '' ? [] : [how])];
  return `${words.join('  ')}${isAsked ? out.colors.dim('  ← this one') : ''}`;
}

function relationOf({ relation, of, atSeq, imported }: Relative): string {
  const gone = of === null ? ' of a thread that is not here' : '';
  if (relation === 'fork') return `fork after step ${atSeq}${gone}`;
  if (relation === 'child') return `step ${atSeq}${gone}`;
  return imported ? 'imported' : '';
}
