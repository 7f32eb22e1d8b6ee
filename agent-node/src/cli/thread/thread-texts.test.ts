import { join } from 'node:path';
import { createThreadId } from '@uncaged/protocol/ids';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { openStore, type Store, type ThreadRow } from '../../store/index.js';
import {
  commitStep,
  createThread,
  runningThread,
  startStep,
  temporaryRoot,
  temporaryStore,
} from '../../store/test-store.js';
import { createOutput } from '../output/index.js';
import type { StoreCommandInput } from '../run-command.js';
import { runForTest } from '../testing.js';
import { createLivePrinter } from './live-printer.js';
import { outcomeLines } from './outcome.js';
import { showThread } from './show-thread.js';
import { threadTable } from './thread-table.js';

/** An output without colours, and what it got. */
function recorder() {
  const chunks: string[] = [];
  const out = createOutput({ write: (chunk) => chunks.push(String(chunk)) > 0 }, {});
  return { out, text: () => chunks.join('') };
}

async function shown(store: Store, id: string): Promise<string> {
  const { out, text } = recorder();
  const input = { store, out, json: false, clock: Date.now } as StoreCommandInput;
  await showThread(input, store.threads.get(id)!);
  return text();
}

function failStep(store: Store, { id, fence }: ThreadRow, message: string): void {
  const problem = { code: 'agent-failed', message } as const;
  const key = { thread: id, seq: 1, attempt: 1, fence };
  store.write('full', () => store.steps.fail({ ...key, status: 'failed', problem, endedAt: 20 }));
}

describe('the last line about a thread', () => {
  const lastLine = (row: ThreadRow) => outcomeLines(row, recorder().out.colors).at(-1);

  it('says how to watch one that waits for its turn or runs', async () => {
    const store = await temporaryStore();
    const { id } = runningThread(store);
    const queued = createThread(store);
    for (const each of [id, queued])
      expect(lastLine(store.threads.get(each)!)).toBe(`  to watch it: uwf live ${each}`);
  });

  it('sends nobody into a retry that would read the same damage again', async () => {
    const store = await temporaryStore();
    const problem = { code: 'store-damaged', message: 'a text is damaged' } as const;
    const row: ThreadRow = { ...runningThread(store), status: 'failed', problem };
    expect(lastLine(row)).toContain(`uwf thread fork ${row.id} --from-step N`);
    expect(lastLine(row)).toContain('uwf cas verify');
    expect(outcomeLines(row, recorder().out.colors, { isProblemSaid: true }).join('\n')).toMatch(
      /^failed\n {2}to go on: uwf thread fork/,
    );
  });
});

describe('thread show', () => {
  it('says that the next attempt is waited for, until it begins', async () => {
    const store = await temporaryStore();
    const thread = runningThread(store);
    startStep(store, thread, 1);
    expect(await shown(store, thread.id)).not.toContain('waits for');
    failStep(store, thread, 'overloaded');
    expect(await shown(store, thread.id)).toMatch(/^waits for +attempt 2 of step 1/m);
    startStep(store, thread, 1, 2);
    expect(await shown(store, thread.id)).not.toContain('waits for');
  });

  it('names the nested thread of a step that still runs, and there the thread above', async () => {
    const store = await temporaryStore();
    const { id, fence } = runningThread(store);
    startStep(store, store.threads.get(id)!, 1);
    const child = createThread(store, { parent: id, parentSeq: 1, depth: 1 });
    store.write('full', () =>
      store.steps.setChild({ thread: id, seq: 1, attempt: 1, fence }, child),
    );
    expect(await shown(store, id)).toContain(`\n  nested thread: ${child}\n`);
    expect(await shown(store, child)).toMatch(new RegExp(`^nested in +${id}, as its step 1$`, 'm'));
  });
});

describe('a table of threads', () => {
  it('tells nested threads and copies from packs apart', async () => {
    const store = await temporaryStore();
    const row = runningThread(store);
    const { out, text } = recorder();
    threadTable(
      out,
      [
        row,
        { ...row, parent: createThreadId(1) },
        { ...row, status: 'completed', imported: true },
        { ...row, status: 'paused', reason: 'user', imported: true },
      ],
      { ranMs: ({ imported }) => (imported ? 1_500 : 0) },
    );
    expect(text()).toMatch(/completed \(copy\) .* 1\.5 s/);
    const lines = text().split('\n').slice(1, 5);
    const marks = [
      / running {2}/,
      / running \(nested\) /,
      / completed \(copy\) /,
      / paused \(user, copy\) /,
    ];
    for (const [index, mark] of marks.entries()) expect(lines[index]).toMatch(mark);
  });
});

describe('live', () => {
  it('prints every line of the problem of an attempt', async () => {
    const store = await temporaryStore();
    const thread = runningThread(store);
    startStep(store, thread, 1);
    failStep(store, thread, 'exit code 7\nstderr: overloaded\n');
    const { out, text } = recorder();
    const printer = createLivePrinter(store, out, null, Date.now);
    for (const event of store.events.after({ seq: 0, thread: thread.id, limit: 9 }))
      printer.event(event);
    expect(text()).toMatch(
      /✗ worker attempt 1: agent-failed: exit code 7\n {2}stderr: overloaded\n$/,
    );
  });
});

describe('step list', () => {
  it('shows what of a committed step is damaged', async () => {
    const root = temporaryRoot();
    const store = await openStore(root, { clock: Date.now });
    const thread = runningThread(store);
    for (const seq of [1, 2]) {
      startStep(store, thread, seq);
      commitStep(store, thread, seq);
    }
    store.close();
    const lines = async () =>
      (await runForTest(['step', 'list', thread.id], { root })).out.trimEnd().split('\n').slice(1);
    for (const line of await lines()) expect(line).not.toContain('store-damaged');
    const db = new Database(join(root, 'store.db'));
    const { changes } = db
      .prepare("UPDATE node SET bytes = CAST('spoilt' AS BLOB) WHERE hex(bytes) LIKE ?")
      .run(`%${Buffer.from('said 2').toString('hex').toUpperCase()}%`);
    db.close();
    expect(changes).toBe(1);
    const [first, second] = await lines();
    expect(first).not.toContain('store-damaged');
    expect(second).toContain('store-damaged: ');
  });
});
