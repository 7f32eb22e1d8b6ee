import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Lineage, ThreadDiff } from '@uncaged/protocol/api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { show, startChain, untilStatus } from '../support/threads.js';
import { createMachine, type Machine } from '../support/uwf.js';

let machine: Machine;
let counter: string;
beforeEach(() => {
  machine = createMachine();
  counter = join(machine.cwd, 'counter');
  writeFileSync(counter, '');
});
afterEach(() => machine.dispose());

/** Each run of a script gives another text and another meta. */
const script = (n: number) =>
  `echo x >> "${counter}"; n=$(wc -l < "${counter}"); echo "run $n"; echo "{\\"\\$status\\":\\"ok\\",\\"step\\":${n},\\"run\\":$n}"`;
const completed = async (length = 3) =>
  untilStatus(machine, await startChain(machine, 'line', length, script), 'completed');
const fork = async (...args: string[]) => {
  const { threadId } = await machine.json<{ threadId: string }>(['thread', 'fork', ...args]);
  return untilStatus(machine, threadId, 'completed');
};
const out = async (...args: string[]) => {
  const { code, stdout, stderr } = await machine.uwf(args);
  expect(`${code} ${stderr}`).toBe('0 ');
  return stdout;
};
type Line = {
  seq: number | null;
  type: string;
  data?: { seq?: number };
  step?: { content: string };
};
const lines = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);

describe('a replay', () => {
  it('is what live shows, as often as one likes, and runs nothing', async () => {
    const { threadId: id } = await completed();
    const live = await out('live', id);
    const before = await show(machine, id);
    expect(await out('thread', 'replay', id)).toBe(live);
    expect(await out('thread', 'replay', id)).toBe(live);
    expect(await out('thread', 'replay', id, '--json')).toBe(await out('live', id, '--json'));
    expect(await show(machine, id)).toEqual(before);
    expect(live).toContain('run 3');
  });

  it('of a fork begins with the steps that it keeps', async () => {
    const source = await completed();
    const forked = await fork(source.threadId, '--from-step', '2');
    const told = lines(await out('thread', 'replay', forked.threadId, '--json'));
    const committed = told.filter(({ type }) => type === 'step.committed');
    expect(committed.map(({ data, step }) => [data?.seq, step?.content.split('\n')[0]])).toEqual([
      [1, 'run 1'],
      [2, 'run 2'],
      [3, 'run 4'],
    ]);
    expect(told.filter(({ seq }) => seq === null)).toHaveLength(4);
    expect(told.at(-1)?.type).toBe('done');
    const text = await out('thread', 'replay', forked.threadId);
    expect(text.indexOf('run 2')).toBeLessThan(
      text.indexOf(`forked from thread ${source.threadId}`),
    );
    expect(text.indexOf('run 4')).toBeGreaterThan(text.indexOf('the first 2 steps'));
    expect(await out('live', forked.threadId)).not.toContain('run 2');
  });

  it('in time takes the time it took, by the factor that is given', async () => {
    const id = await startChain(machine, 'slow', 1, () => 'sleep 0.4; echo done');
    await untilStatus(machine, id, 'completed');
    const plain = await out('thread', 'replay', id);
    const started = performance.now();
    expect(await out('thread', 'replay', id, '--speed', '0.5')).toBe(plain);
    expect(performance.now() - started).toBeGreaterThan(800);
    for (const wrong of ['0', '-1', 'x', ''])
      expect((await machine.uwf(['thread', 'replay', id, '--speed', wrong])).code).toBe(2);
    const nobody = await machine.uwf(['thread', 'replay', id, '--role', 'nobody']);
    expect(nobody).toMatchObject({ code: 2, stdout: '' });
    expect(nobody.stderr).toMatch(/no step of role "nobody"; its roles are /);
  });

  it('of a thread that failed ends with 0, of one that is not there with 3', async () => {
    const id = await startChain(machine, 'failing', 2, (n) => (n === 2 ? 'exit 3' : script(n)));
    await untilStatus(machine, id, 'failed');
    expect(await out('thread', 'replay', id)).toContain('failed');
    expect((await machine.uwf(['thread', 'replay', '01ARZ3NDEKTSV4RRFFQ69G5FAV'])).code).toBe(3);
  });
});

describe('the lineage', () => {
  it('is a tree of forks, drawn or as JSON', async () => {
    const { threadId: top } = await completed();
    const { threadId: first } = await fork(top, '--from-step', '1');
    const { threadId: second } = await fork(first);
    const { threadId: third } = await fork(top);
    const drawn = (await out('thread', 'lineage', second)).split('\n');
    expect(drawn.map((line) => line.replace(/ {2}.*/, ''))).toEqual([
      top,
      `├─ ${first}`,
      `│`,
      `└─ ${third}`,
      '',
    ]);
    expect(drawn[2]).toContain(`└─ ${second}`);
    expect(drawn[2]).toContain('fork after step 2');
    expect(drawn[2]).toContain('← this one');
    const json = await machine.json<Lineage>(['thread', 'lineage', top]);
    expect(json.items.map(({ threadId, of, atSeq }) => [threadId, of, atSeq])).toEqual([
      [top, null, null],
      [first, top, 1],
      [second, first, 2],
      [third, top, 2],
    ]);
  });
});

describe('the difference', () => {
  it('tells from which step on two threads differ, and in what', async () => {
    const source = await completed();
    const forked = await fork(source.threadId, '--from-step', '1');
    const found = await machine.json<ThreadDiff>([
      'thread',
      'diff',
      source.threadId,
      forked.threadId,
    ]);
    expect(found).toMatchObject({ sharedSteps: 1, isCut: false, totals: { a: { steps: 2 } } });
    expect(found.steps.map(({ seq, isMetaEqual }) => [seq, isMetaEqual])).toEqual([
      [2, false],
      [3, false],
    ]);
    const text = await out('thread', 'diff', source.threadId, forked.threadId);
    expect(text).toContain('the first step is shared');
    expect(text).toContain('  - run: 2');
    expect(text).toContain('  + run: 4');
    expect(text).not.toContain('step: 2');
    expect((await machine.uwf(['thread', 'diff', source.threadId])).code).toBe(2);
  });
});
