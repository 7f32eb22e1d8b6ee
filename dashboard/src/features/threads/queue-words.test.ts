import { describe, expect, it } from 'vitest';
import { queueWords } from './queue-words.js';

const node = { name: 'build-1', queued: 5, atOnce: 2 };

describe('the place in the queue', () => {
  it('is said with how many there are and how many run at once', () => {
    expect(queueWords({ position: 3, waitsFor: 'node' }, node)).toBe(
      '3rd of 5 in line for a slot; build-1 runs 2 at once',
    );
  });

  it('leaves out what is not known, and a total that cannot be', () => {
    expect(
      queueWords({ position: 1, waitsFor: 'node' }, { ...node, queued: null, atOnce: null }),
    ).toBe('1st in line for a slot; build-1 runs as many as it may');
    expect(queueWords({ position: 6, waitsFor: 'node' }, node)).toBe(
      '6th in line for a slot; build-1 runs 2 at once',
    );
  });

  it('says what it waits for', () => {
    expect(queueWords({ position: 2, waitsFor: 'workflow' }, node)).toMatch(
      /^2nd in line for a slot of its workflow/,
    );
    expect(queueWords({ position: 1, waitsFor: 'worker' }, node)).toBe(
      'a slot is free; next to be taken by a process of build-1',
    );
  });

  it('counts as people do', () => {
    const said = [1, 2, 3, 4, 10, 11, 12, 13, 21, 22, 23, 101, 111, 1_002].map(
      (position) => queueWords({ position, waitsFor: 'workflow' }, node).split(' ')[0],
    );
    expect(said).toEqual([
      ...['1st', '2nd', '3rd', '4th', '10th', '11th', '12th', '13th', '21st', '22nd', '23rd'],
      ...['101st', '111th', '1,002nd'],
    ]);
  });
});
