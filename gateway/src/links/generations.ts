export type Generations = {
  /** The number of the next admission of this name: higher than every earlier one. */
  next(name: string): number;
};

/**
 * Counts the admissions of each name. Only the `namesMax` names admitted last are remembered; one that was forgotten goes on
 * above everything that was, so that its numbers never go back.
 */
export function createGenerations(namesMax: number): Generations {
  const counts = new Map<string, number>();
  let floor = 0;
  return {
    next(name) {
      const generation = (counts.get(name) ?? floor) + 1;
      // Set anew, it is the youngest of the map.
      counts.delete(name);
      counts.set(name, generation);
      if (counts.size > namesMax) {
        const [oldest, count] = counts.entries().next().value ?? [name, generation];
        counts.delete(oldest);
        floor = Math.max(floor, count);
      }
      return generation;
    },
  };
}
