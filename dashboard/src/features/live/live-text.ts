import type { PlacedLiveJson } from '@uncaged/protocol/api';
import { LIVE_TEXT_CHARACTERS } from '../../limits.js';
import type { LiveText } from './live-state.js';

/** Adds a piece; one that came before, on another connection, changes nothing. */
export function addLiveText(text: LiveText | undefined, piece: PlacedLiveJson): LiveText {
  const { step, n, kind } = piece;
  const before = text !== undefined && text.step === step ? text : null;
  if (before !== null && n <= before.n) return before;
  const pieces = before === null ? [] : [...before.pieces];
  const last = pieces.at(-1);
  // Many small pieces of one kind are one: what shows them need not look at each.
  if (last !== undefined && last.kind === kind)
    pieces[pieces.length - 1] = { kind, text: last.text + piece.text };
  else pieces.push({ kind, text: piece.text });
  return keepEnd({ step, n, pieces, dropped: before?.dropped ?? 0 });
}

function keepEnd(text: LiveText): LiveText {
  const size = text.pieces.reduce((sum, piece) => sum + piece.text.length, 0);
  let over = size - LIVE_TEXT_CHARACTERS;
  if (over <= 0) return text;
  const dropped = text.dropped + over;
  const pieces: LiveText['pieces'] = [];
  for (const piece of text.pieces) {
    if (over >= piece.text.length) over -= piece.text.length;
    else {
      pieces.push({ kind: piece.kind, text: piece.text.slice(over) });
      over = 0;
    }
  }
  return { ...text, pieces, dropped };
}
