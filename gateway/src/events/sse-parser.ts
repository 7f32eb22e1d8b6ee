import { Problem } from '@uncaged/protocol/problem';

/** An event of a `text/event-stream` as it was sent. */
export type SseEvent = {
  /** `message` when it names none. */
  type: string;
  data: string;
  /** The id that stands in this event itself; null: none. */
  id: string | null;
};

export type SseParser = {
  /**
   * The events that are complete with these bytes, in order. Cut the bytes wherever you like. Throws `too-large` for an event
   * that grows over the limit; the parser is of no use then. An event without data is none, and what is not closed by an empty
   * line never becomes one.
   */
  push: (bytes: Uint8Array) => SseEvent[];
};

const LINE_END = /[\r\n]/g;

/** Reads the format of the HTML standard, "Server-sent events"; `retry` is not heard. `maxEventChars` in UTF-16 units. */
export function createSseParser(maxEventChars: number): SseParser {
  // Drops the byte order mark at the start, and keeps the beginning of a character that was cut.
  const decoder = new TextDecoder('utf-8');
  let line = '';
  let isAfterCr = false;
  let type = '';
  let data: string[] = [];
  let id: string | null = null;
  let size = 0;

  const count = (chars: number): void => {
    size += chars;
    if (size > maxEventChars)
      throw new Problem('too-large', `An event has more than ${maxEventChars} characters.`);
  };
  const field = (name: string, value: string): void => {
    if (name === 'data') data.push(value);
    else if (name === 'event') type = value;
    else if (name === 'id' && !value.includes('\0')) id = value;
  };
  const takeLine = (text: string, events: SseEvent[]): void => {
    if (text === '') {
      if (data.length > 0) events.push({ type: type || 'message', data: data.join('\n'), id });
      type = '';
      data = [];
      id = null;
      size = 0;
      return;
    }
    const colon = text.indexOf(':');
    if (colon === 0) size -= text.length;
    else if (colon < 0) field(text, '');
    else field(text.slice(0, colon), text.slice(colon + (text[colon + 1] === ' ' ? 2 : 1)));
  };

  return {
    push: (bytes) => {
      const events: SseEvent[] = [];
      const text = decoder.decode(bytes, { stream: true });
      if (text === '') return events;
      let start = isAfterCr && text[0] === '\n' ? 1 : 0;
      LINE_END.lastIndex = start;
      for (let end = LINE_END.exec(text); end !== null; end = LINE_END.exec(text)) {
        const rest = text.slice(start, end.index);
        count(rest.length);
        takeLine(line + rest, events);
        line = '';
        start = end.index + 1;
        if (end[0] === '\r' && text[start] === '\n') start += 1;
        LINE_END.lastIndex = start;
      }
      isAfterCr = start === text.length && text.endsWith('\r');
      line += text.slice(start);
      count(text.length - start);
      return events;
    },
  };
}
