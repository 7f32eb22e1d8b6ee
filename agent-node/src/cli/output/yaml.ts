import { Document, isMap, isSeq, stringify } from 'yaml';

/**
 * YAML for people. Not in this folder's door: import it only when something is printed, reading the parser takes as long as
 * the rest of a command. Text may still hold what a terminal obeys: print it with `out.text`.
 */
export function yamlText(value: unknown, lineWidth = 0): string {
  return stringify(value, { lineWidth });
}

/** The same, with the objects of the lists `oneLine` one to a line unless they hold long text. */
export function yamlWithLists(
  value: unknown,
  oneLine: readonly string[],
  isLong: readonly string[],
  lineWidth: number,
): string {
  const document = new Document(value);
  for (const key of oneLine) {
    const list: unknown = document.get(key, true);
    if (!isSeq(list)) continue;
    for (const item of list.items) {
      if (isMap(item) && !isLong.some((field) => item.has(field))) item.flow = true;
    }
  }
  return document.toString({ lineWidth });
}
