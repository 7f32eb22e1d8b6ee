import { chmod, mkdtemp, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { REGISTRY_SETTLED_MS } from './limits.js';
import { createRegistryReader } from './registry-reader.js';

let root: string;
let file: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'uwf-registry-'));
  file = join(root, 'workflow.yaml');
});
afterEach(async () => {
  vi.useRealTimers();
  await rm(root, { recursive: true });
});

const write = (depth: number) => writeFile(file, `config:\n  maxDepth: ${depth}\n`);
const settled = () => vi.setSystemTime(Date.now() + 2 * REGISTRY_SETTLED_MS);

it('reads a file once as long as it stays as it is', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  await write(1);
  settled();
  const read = createRegistryReader(root);
  const first = await read();
  expect(first.config).toEqual({ maxDepth: 1 });
  expect(read()).toBe(first);
});

it.each([
  ['written', () => write(2)],
  [
    'replaced by one of the same size and time',
    async () => {
      const other = join(root, 'other');
      await writeFile(other, 'config:\n  maxDepth: 2\n');
      await utimes(other, new Date(0), new Date(0));
      await rename(other, file);
    },
  ],
])('sees at once that a file was %s', async (_, change) => {
  vi.useFakeTimers({ toFake: ['Date'] });
  await write(1);
  await utimes(file, new Date(0), new Date(0));
  settled();
  const read = createRegistryReader(root);
  await read();
  await change();
  expect((await read()).config).toEqual({ maxDepth: 2 });
});

it('sees every one of many changes that follow each other closely', async () => {
  const read = createRegistryReader(root);
  expect((await read()).config).toBeUndefined();
  for (let depth = 1; depth <= 9; depth++) {
    await write(depth);
    expect((await read()).config).toEqual({ maxDepth: depth });
  }
  await rm(file);
  expect((await read()).entries.size).toBe(0);
});

it('says each time what is wrong with a file', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  await writeFile(file, 'config: {');
  settled();
  const read = createRegistryReader(root);
  for (const _ of [1, 2])
    await expect(async () => read()).rejects.toMatchObject({ code: 'invalid-config' });
  await chmod(file, 0o600);
  await write(3);
  expect((await read()).config).toEqual({ maxDepth: 3 });
});
