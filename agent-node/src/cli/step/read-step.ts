import type { StepRow, Store } from '../../store/index.js';
import { readablePayload, stateOf } from '../../views/index.js';
import { renderTerminalLine } from '../output/index.js';
import { safeText, turnBlock } from './turn-block.js';

/** Between two blocks; counts against the quota. */
const SEPARATOR = '\n\n';
const CUT = '…';

export type StepReading = {
  markdown: string;
  /** Turns of the step, and the numbers (from 1) of those that are shown. */
  turnCount: number;
  shown: number[];
};

/**
 * A step as Markdown of at most `quota` characters (UTF-16 units): a heading, then the turns of its agent, or its answer
 * when there are none. Where not all fit, the latest turns are shown, whole ones; only the very last is cut when it alone is
 * too long.
 */
export function readStep(store: Store, row: StepRow, quota: number): StepReading {
  const state = stateOf(store, row);
  const heading = cutTo(headingOf(row), quota);
  const turns = sessionTurns(store, state?.session ?? null);
  const block = (number: number) => turnBlock(store, turns[number - 1]!, number - 1, quota);
  const picked = pickTurns(turns.length, block, quota - heading.length);
  const answer = safeText(store, state?.content ?? null, quota).trim();
  const body =
    picked.length > 0
      ? picked.map(({ text }) => text)
      : [cutTo(answer, quota - heading.length - SEPARATOR.length)];
  return {
    markdown: [heading, ...body].filter((text) => text !== '').join(SEPARATOR),
    turnCount: turns.length,
    shown: picked.flatMap(({ number }) => (number === null ? [] : [number])),
  };
}

/** A block of the document; the note about what was left out has no number. */
type Picked = { number: number | null; text: string };

/** The latest turns that fit into `room` with a separator before each, in order, after a note about those that do not. */
function pickTurns(
  count: number,
  block: (number: number) => string | null,
  room: number,
): Picked[] {
  const picked: Picked[] = [];
  let free = room;
  for (let number = count; number > 0; number--) {
    const text = block(number);
    if (text === null) continue;
    if (cost(text) > free) return withNote(picked, { number, text }, free);
    picked.unshift({ number, text });
    free -= cost(text);
  }
  return picked;
}

/** `next` did not fit any more. Makes room for a note that says so: the oldest goes, the last one is cut. */
function withNote(picked: readonly Picked[], next: Picked, room: number): Picked[] {
  const shown = picked.length > 0 ? [...picked] : [next];
  let free = picked.length > 0 ? room : room - cost(next.text);
  const note = () => {
    const missing = Number(shown[0]!.number) - 1;
    return missing === 0
      ? ''
      : missing === 1
        ? '(turn 1 left out)'
        : `(turns 1 to ${missing} left out)`;
  };
  while (shown.length > 1 && cost(note()) > free) free += cost(shown.shift()!.text);
  const text = note();
  const lacking = Math.max(0, cost(text) - free);
  const [first, ...rest] = shown as [Picked, ...Picked[]];
  const cut = cutTo(first.text, first.text.length - lacking);
  const noted: Picked = { number: null, text };
  // So little room that nothing of the turn is left.
  if (cut === '') return cost(text) <= free + cost(first.text) ? [noted] : [];
  return [noted, { ...first, text: cut }, ...rest].filter((each) => each.text !== '');
}

/** What a block takes of the quota. */
function cost(text: string): number {
  return text === '' ? 0 : SEPARATOR.length + text.length;
}

function headingOf(row: StepRow): string {
  const agent = renderTerminalLine(row.agent);
  return `# Step ${row.seq}: ${renderTerminalLine(row.role)}${SEPARATOR}${row.hash} · attempt ${row.attempt} · agent ${agent}`;
}

function sessionTurns(store: Store, session: string | null): readonly string[] {
  return session === null ? [] : (readablePayload(store, session, 'session')?.turns ?? []);
}

/** At most `size` characters, with a mark when it was longer. */
function cutTo(text: string, size: number): string {
  if (text.length <= size) return text;
  if (size <= CUT.length) return '';
  return `${text.slice(0, size - CUT.length).replace(/[\ud800-\udbff]$/, '')}${CUT}`;
}
