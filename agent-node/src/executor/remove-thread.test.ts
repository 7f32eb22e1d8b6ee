import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openStore, type Store } from '../store/index.js';
import { removeThread } from './remove-thread.js';
import { startThread } from './start-thread.js';
import { threadLogFile } from './thread-log.js';

async function openRoot(): Promise<{ store: Store; root: string }> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'uwf-remove-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const store = await openStore(join(root, 'root'), { clock: Date.now });
  onTestFinished(() => store.close());
  return { store, root };
}

/** A cancelled thread; without a workspace the node makes one. */
async function thread(
  store: Store,
  workspace: string | null,
): Promise<{ id: string; place: string }> {
  const version = store.write('full', () => store.nodes.putText('stands for a definition'));
  const request = {
    workflow: { name: 'demo', kind: 'bundle' as const, version },
    prompt: 'do it',
    inputs: null,
    workspace,
    options: { agents: {}, maxSteps: null, maxVisits: null, budget: null, stopAt: null },
  };
  const { id } = startThread(store, request, Date.now);
  const end = { returnCode: 130, summary: '', ownSummary: null, startedAt: 1, timestamp: 2 };
  store.write('full', () => store.threads.cancelIdle(id, end));
  const place = store.threads.get(id)!.workspace;
  writeFileSync(join(place, 'result'), 'made by an agent');
  return { id, place };
}

describe('removing a thread', () => {
  it('removes the directory that was made for it', async () => {
    const { store } = await openRoot();
    const { id, place } = await thread(store, null);
    await removeThread(store, id);
    expect(existsSync(place)).toBe(false);
    expect(existsSync(join(store.root, 'work'))).toBe(true);
  });

  it('removes those nested in it with their logs, and says how many', async () => {
    const { store } = await openRoot();
    const { id, place } = await thread(store, null);
    const row = store.threads.get(id)!;
    const nested = '01NESTED000000000000000000';
    const log = threadLogFile(store.root, row.version, nested);
    mkdirSync(dirname(log), { recursive: true });
    writeFileSync(log, '');
    const end = { returnCode: 130, summary: '', ownSummary: null, startedAt: 1, timestamp: 2 };
    store.write('full', () => {
      store.threads.create({ ...row, id: nested, parent: id, parentSeq: 1, depth: 1 });
      store.threads.cancelIdle(nested, end);
    });
    expect(await removeThread(store, id)).toBe(1);
    expect(store.threads.get(nested)).toBeNull();
    expect(existsSync(log)).toBe(false);
    // It worked there too, and keeps it no more.
    expect(existsSync(place)).toBe(false);
  });

  it('never removes a directory that somebody named', async () => {
    const { store, root } = await openRoot();
    const named = join(root, 'named');
    mkdirSync(named);
    const { id, place } = await thread(store, named);
    await removeThread(store, id);
    expect(existsSync(join(place, 'result'))).toBe(true);
  });

  it('keeps the directory while another thread works in it or below it', async () => {
    const { store } = await openRoot();
    const first = await thread(store, null);
    const below = join(first.place, 'below');
    mkdirSync(below);
    const second = await thread(store, below);
    await removeThread(store, first.id);
    expect(existsSync(join(second.place, 'result'))).toBe(true);
  });

  it('follows no link, neither in its place nor in it', async () => {
    const { store, root } = await openRoot();
    const precious = join(root, 'precious');
    mkdirSync(precious);
    writeFileSync(join(precious, 'file'), 'mine');
    const replaced = await thread(store, null);
    rmSync(replaced.place, { recursive: true });
    symlinkSync(precious, replaced.place);
    await removeThread(store, replaced.id);
    const holding = await thread(store, null);
    symlinkSync(precious, join(holding.place, 'link'));
    await removeThread(store, holding.id);
    expect(existsSync(holding.place)).toBe(false);
    expect(existsSync(join(precious, 'file'))).toBe(true);
  });

  it('keeps it when told to', async () => {
    const { store } = await openRoot();
    const { id, place } = await thread(store, null);
    await removeThread(store, id, { keepWorkspace: true });
    expect(existsSync(join(place, 'result'))).toBe(true);
  });
});
