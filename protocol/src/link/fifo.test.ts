import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Fifo } from './fifo.js';

describe('a queue', () => {
  it('gives back what it got, in order, however long it was', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -3000, max: 3000 }), { maxLength: 20 }), (moves) => {
        const queue = new Fifo<number>();
        let put = 0;
        let taken = 0;
        for (const move of moves) {
          for (let n = 0; n < move; n += 1) queue.push(put++);
          for (let n = move; n < 0; n += 1) {
            expect(queue.peek()).toBe(taken < put ? taken : undefined);
            expect(queue.shift()).toBe(taken < put ? taken++ : undefined);
          }
          expect(queue.length).toBe(put - taken);
        }
      }),
      { numRuns: 30 },
    );
  });
});
