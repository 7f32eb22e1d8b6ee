import { displayWidth, splitAtWidth } from './display-width.js';

/** A break that would leave less than this part of a line is not worth it: the word is cut instead. */
const SHORTEST_LINE = 1 / 3;

/**
 * Lines of at most `columns`, broken after a character of `breaks` where one is near enough. Expects one line without
 * control characters. An empty text is one empty line.
 */
export function wrapToWidth(text: string, columns: number, breaks = ' '): string[] {
  const lines: string[] = [];
  let rest = text;
  while (displayWidth(rest) > columns) {
    const [head, tail] = splitAtWidth(rest, columns);
    if (tail === '') break;
    const end = tail.startsWith(' ') ? head.length : lastBreak(head, breaks);
    lines.push(head.slice(0, end).trimEnd());
    rest = (head.slice(end) + tail).trimStart();
  }
  return [...lines, rest];
}

function lastBreak(head: string, breaks: string): number {
  const last = Math.max(...Array.from(breaks, (character) => head.lastIndexOf(character))) + 1;
  return last > head.length * SHORTEST_LINE ? last : head.length;
}
