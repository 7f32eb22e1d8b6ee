import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createGenerations } from './generations.js';

it('counts each name for itself', () => {
  const generations = createGenerations(10);
  expect(['a', 'a', 'b', 'a', 'b'].map(generations.next)).toEqual([1, 2, 1, 3, 2]);
});

it('never goes back for a name, however few names are remembered', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 4 }),
      fc.array(fc.integer({ min: 0, max: 6 })),
      (max, names) => {
        const generations = createGenerations(max);
        const last = new Map<number, number>();
        for (const name of names) {
          const generation = generations.next(String(name));
          expect(generation).toBeGreaterThan(last.get(name) ?? 0);
          last.set(name, generation);
        }
      },
    ),
  );
});
