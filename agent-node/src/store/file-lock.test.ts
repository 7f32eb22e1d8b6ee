import { join } from 'node:path';
import { Problem } from '@uncaged/protocol/problem';
import { describe, expect, it } from 'vitest';
import { acquireLock } from './file-lock.js';
import { startStoreProcess } from './test-process.js';
import { temporaryRoot } from './test-store.js';

describe('a file lock', () => {
  it('has one holder at a time, and names it', async () => {
    const path = join(temporaryRoot(), 'x.lock');
    const lock = await acquireLock(path);
    await expect(acquireLock(path)).rejects.toMatchObject({
      code: 'registry-locked',
      details: { pid: process.platform === 'linux' ? process.pid : null },
    });
    const own = (): Problem => new Problem('in-use', 'mine');
    await expect(acquireLock(path, own)).rejects.toMatchObject({ code: 'in-use' });
    lock.release();
    (await acquireLock(path)).release();
  });

  it('goes with the process that holds it', async () => {
    const path = join(temporaryRoot(), 'x.lock');
    const holder = await startStoreProcess(
      `globalThis.lock = await store.acquireLock(args.path); print('held'); setInterval(() => {}, 1000);`,
      { path },
    );
    await holder.printed(1);
    await expect(acquireLock(path)).rejects.toMatchObject({ code: 'registry-locked' });
    holder.child.kill('SIGKILL');
    await holder.ended;
    (await acquireLock(path)).release();
  });

  it('needs a directory that can be written', async () => {
    await expect(acquireLock('/proc/uwf/x.lock')).rejects.toMatchObject({
      code: 'store-unavailable',
    });
  });
});
