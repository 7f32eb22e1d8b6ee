/** `1 step`, `2 steps`; `plural` where it is not the word with an s. */
export function countText(count: number, word: string, plural = `${word}s`): string {
  return `${count} ${count === 1 ? word : plural}`;
}
