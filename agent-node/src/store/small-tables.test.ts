import { describe, expect, it } from 'vitest';
import { claim, createThread, runningThread, temporaryStore } from './test-store.js';
import type { WorkerRow } from './types.js';

const WORKER: WorkerRow = {
  key: 'definitions',
  instance: 'one',
  pid: 1,
  processStart: '1',
  bootId: 'b',
  version: '1',
  renewedAt: 1,
  startedAt: 1,
};

describe('workers', () => {
  it('hold a key until they are dead', async () => {
    const store = await temporaryStore();
    const register = (instance: string, isDead: boolean): boolean =>
      store.write('normal', () => store.workers.register({ ...WORKER, instance }, () => isDead));
    expect(register('one', false)).toBe(true);
    expect(register('one', false)).toBe(true);
    expect(register('two', false)).toBe(false);
    expect(store.workers.get('definitions')!.instance).toBe('one');
    expect(register('two', true)).toBe(true);
    expect(store.workers.list()).toEqual([{ ...WORKER, instance: 'two' }]);
  });

  it('retire only when nothing is queued for them', async () => {
    const store = await temporaryStore();
    createThread(store);
    const retire = (instance: string): boolean =>
      store.write('normal', () => store.workers.retire('definitions', instance));
    store.write('normal', () => store.workers.register(WORKER, () => false));
    expect(retire('one')).toBe(false);
    claim(store);
    expect(retire('two')).toBe(true);
    expect(store.workers.get('definitions')).not.toBeNull();
    expect(retire('one')).toBe(true);
    expect(store.workers.get('definitions')).toBeNull();
  });
});

describe('leases', () => {
  it('of one owner are renewed together', async () => {
    const store = await temporaryStore();
    runningThread(store);
    runningThread(store);
    expect(store.write('normal', () => store.leases.renew('worker-1', 5_000))).toBe(2);
    expect(store.write('normal', () => store.leases.renew('worker-2', 9_000))).toBe(0);
    expect(store.leases.list().map((lease) => lease.renewedAt)).toEqual([5_000, 5_000]);
  });
});

describe('events', () => {
  it('are numbered upward and paged, of the node and of a thread', async () => {
    const store = await temporaryStore({ clock: () => 7 });
    const id = createThread(store);
    const seq = store.write('normal', () =>
      store.events.append({ thread: null, type: 'workflow.changed', data: { name: 'demo' } }),
    );
    expect(store.events.lastSeq()).toBe(seq);
    expect(store.events.after({ seq: 0, limit: 9 })).toEqual([
      { seq: seq - 1, thread: id, type: 'thread.queued', at: 7, data: { workflow: 'demo' } },
      { seq, thread: null, type: 'workflow.changed', at: 7, data: { name: 'demo' } },
    ]);
    expect(store.events.after({ seq: 0, thread: id, limit: 9 })).toHaveLength(1);
    expect(store.events.after({ seq: seq - 1, limit: 1 })).toMatchObject([{ seq }]);
  });
});

describe('settings', () => {
  it('are kept and replaced', async () => {
    const store = await temporaryStore();
    expect(store.settings.get('a')).toBeNull();
    store.write('normal', () => store.settings.set('a', '1'));
    store.write('normal', () => store.settings.set('a', '2'));
    expect(store.settings.get('a')).toBe('2');
  });
});
