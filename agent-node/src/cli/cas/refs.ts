import type { Command } from 'commander';
import type { CliContext } from '../context.js';
import { parseHash } from '../ids.js';
import { STORE_PAGE_ROWS } from '../limits.js';
import { type Action, command, type StoreCommandInput } from '../run-command.js';

export function register(refs: Command, context: CliContext): void {
  refs.argument('<hash>').action(command(context, show));
}

/** Both ways. What refers to it is looked up in the references that are kept, see `NodeTable.referrers`. */
const show: Action<StoreCommandInput> = ({ store, json, out }, [text]) => {
  const hash = parseHash(store, text!);
  const { refs } = store.nodes.get(hash)!;
  const referrers = [...referrersOf(store, hash)];
  if (json) {
    out.json({ hash, refs, referrers });
    return;
  }
  out.line(out.colors.bold('refers to'));
  for (const ref of refs) out.line(`  ${ref}`);
  out.line(out.colors.bold('is referred to by'));
  for (const row of referrers) out.line(`  ${row.hash}  ${row.type}`);
};

function* referrersOf({ nodes }: StoreCommandInput['store'], hash: string) {
  for (let after: string | undefined; ; ) {
    const page = nodes.referrers(hash, {
      limit: STORE_PAGE_ROWS,
      ...(after === undefined ? {} : { after }),
    });
    yield* page;
    if (page.length < STORE_PAGE_ROWS) return;
    after = page.at(-1)!.hash;
  }
}
