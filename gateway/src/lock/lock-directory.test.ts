import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { lockDirectory } from './lock-directory.js';

it('belongs to one at a time, by whatever name, and is free once it is released', async () => {
  const base = mkdtempSync(join(tmpdir(), 'uwf-lock-'));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const directory = join(base, 'data');
  mkdirSync(directory);
  symlinkSync(directory, join(base, 'same'));
  const lock = await lockDirectory(directory);
  for (const name of ['data', 'same'])
    await expect(lockDirectory(join(base, name))).rejects.toMatchObject({ code: 'in-use' });
  const other = await lockDirectory(base);
  await lock.release();
  const again = await lockDirectory(directory);
  await Promise.all([other.release(), again.release()]);
});
