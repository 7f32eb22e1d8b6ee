/** Rows without those newer than `above`, and how many those are; null: nothing is held. */
export function holdNew<T extends { threadId: string }>(
  rows: readonly T[],
  above: string | null,
): { shown: readonly T[]; held: number } {
  if (above === null) return { shown: rows, held: 0 };
  const shown = rows.filter(({ threadId }) => threadId <= above);
  return { shown, held: rows.length - shown.length };
}
