import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openStartMemory } from './start-memory.js';

const HOUR_MS = 60 * 60 * 1000;

function newFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'uwf-starts-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'starts.jsonl');
}

it('knows after a restart which node a key was given to, and forgets it after a day', async () => {
  const file = newFile();
  let now = 1_000;
  const first = await openStartMemory(file, () => now);
  await first.set('a', 'build-1');
  now += 20 * HOUR_MS;
  await first.set('b', 'build-2');
  await first.set('b', 'build-3');
  expect(first.get('a')).toBe('build-1');

  now += 5 * HOUR_MS;
  expect(first.get('a')).toBeNull();
  const second = await openStartMemory(file, () => now);
  expect([second.get('a'), second.get('b'), second.get('c')]).toEqual([null, 'build-3', null]);
  expect(readFileSync(file, 'utf8').trim().split('\n')).toHaveLength(1);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

it('leaves out lines that are torn or not its own', async () => {
  const file = newFile();
  const memory = await openStartMemory(file, () => 5);
  await memory.set('a', 'build-1');
  appendFileSync(file, 'null\n{"at":5,"key":"x","node":"../etc"}\n{"at":5,"key":"b","no');
  const again = await openStartMemory(file, () => 5);
  expect([again.get('a'), again.get('b'), again.get('x')]).toEqual(['build-1', null, null]);
});
