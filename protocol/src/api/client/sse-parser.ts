import { Problem } from '../../problem/index.js';
import { CLIENT_LIMITS } from './limits.js';

/** One event of a `text/event-stream`. */
export type SseMessage = {
  /** `message` where the stream gives no name. */
  event: string;
  /** Lines of data, joined by LF. */
  data: string;
  /** The event's own id; null when it has none (what was resumed from stays valid). */
  id: string | null;
};

export type SseParser = {
  /** The events that `bytes` complete; throws `too-large` when one grows beyond the limit. */
  push(bytes: Uint8Array): SseMessage[];
};

/**
 * Reads `text/event-stream` (WHATWG HTML, 9.2.6) as it comes, cut anywhere: lines end in LF, CR or CRLF, a BOM at the
 * beginning is dropped, so are comments, unknown fields, `retry`, and an event the stream ends in the middle of. Bytes that
 * are not UTF-8 become U+FFFD.
 *
 * `maxCharacters` is the size of an event, and of a line, in UTF-16 units. After `too-large` the parser is of no more use.
 */
export function createSseParser(
  maxCharacters: number = CLIENT_LIMITS.eventMaxCharacters,
): SseParser {
  const decoder = new TextDecoder();
  /** Beginning of a line whose end has not come. */
  let rest = '';
  /** The last piece ended in CR: an LF that comes first in the next belongs to it. */
  let afterCr = false;
  let event = '';
  let data: string[] = [];
  let size = 0;
  let id: string | null = null;

  function push(bytes: Uint8Array): SseMessage[] {
    const messages: SseMessage[] = [];
    let text = decoder.decode(bytes, { stream: true });
    if (text === '') return messages;
    if (afterCr && text.startsWith('\n')) text = text.slice(1);
    afterCr = text.endsWith('\r');
    let from = 0;
    // Only what is new is searched: a long line in many pieces must not cost its length each time.
    for (const found of text.matchAll(/\r\n|\n|\r/g)) {
      takeLine(rest + text.slice(from, found.index), messages);
      rest = '';
      from = found.index + found[0].length;
    }
    rest += text.slice(from);
    checkSize(rest.length);
    return messages;
  }

  function takeLine(line: string, messages: SseMessage[]): void {
    if (line === '') {
      if (data.length > 0)
        messages.push({ event: event === '' ? 'message' : event, data: data.join('\n'), id });
      event = '';
      data = [];
      size = 0;
      id = null;
      return;
    }
    checkSize(line.length);
    const colon = line.indexOf(':');
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (field === 'data') {
      data.push(value);
      size += value.length + 1;
    } else if (field === 'event') event = value;
    else if (field === 'id' && !value.includes('\0')) id = value;
  }

  function checkSize(more: number): void {
    if (size + more <= maxCharacters) return;
    throw new Problem(
      'too-large',
      `An event of the stream has more than ${maxCharacters} characters, which nothing here sends. Look at what is between this client and the gateway.`,
    );
  }

  return { push };
}
