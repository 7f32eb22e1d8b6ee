import type { Hash } from '@uncaged/protocol/ids';
import type { Store } from '../../store/index.js';
import { readablePayload, readableText } from '../../views/index.js';
import { renderTerminalLine, renderTerminalText } from '../output/index.js';
import { BYTES_PER_CHARACTER, TOOL_NAME_MAX_CHARS } from './limits.js';

/** Who speaks in a turn of an agent; turns name nobody else. */
const TURN_ROLE = 'assistant';

/**
 * One turn as Markdown: heading, role, a bullet per tool call, then what was said. Null for a turn with neither content nor a
 * tool call, which is not shown. Of longer texts `maxChars` characters are read. `index` counts from 0.
 */
export function turnBlock(
  store: Store,
  hash: Hash,
  index: number,
  maxChars: number,
): string | null {
  const heading = `## Turn ${index + 1}\n\n**Turn role:** ${TURN_ROLE}`;
  const turn = readablePayload(store, hash, 'turn');
  if (turn === null) return `${heading}\n\n(turn ${hash} cannot be read)`;
  const content = safeText(store, turn.output, maxChars).trim();
  const bullets = turn.toolCalls.flatMap((call) => bulletOf(store, call, maxChars));
  if (content === '' && bullets.length === 0) return null;
  return [heading, bullets.join('\n'), content].filter((part) => part !== '').join('\n\n');
}

/** Text of a `content→` field, safe for a terminal; says so when it cannot be read. */
export function safeText(store: Store, hash: Hash | null, maxChars: number): string {
  if (hash === null) return '';
  const read = readableText(store, hash, maxChars * BYTES_PER_CHARACTER);
  return read === null ? `(text ${hash} cannot be read)` : renderTerminalText(read.text);
}

/** None for a call that is missing or has no name. */
function bulletOf(store: Store, hash: Hash, maxChars: number): string[] {
  const call = readablePayload(store, hash, 'toolCall');
  const name = renderTerminalLine(call?.name ?? '').slice(0, TOOL_NAME_MAX_CHARS);
  if (call === null || name === '') return [];
  const given = renderTerminalLine(safeText(store, call.arguments, maxChars));
  return [`- **${name.toWellFormed()}**${given === '' ? '' : ` — ${inBackticks(given)}`}`];
}

/** More backticks around it than it has in a row, as Markdown wants it. */
function inBackticks(text: string): string {
  const runs = text.match(/`+/g) ?? [];
  if (runs.length === 0) return `\`${text}\``;
  const fence = '`'.repeat(runs.reduce((most, run) => Math.max(most, run.length), 0) + 1);
  return `${fence} ${text} ${fence}`;
}
