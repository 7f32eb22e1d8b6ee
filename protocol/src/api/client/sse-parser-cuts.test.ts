import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSseParser, type SseMessage } from './sse-parser.js';

const MAX = 1_000;
const encode = (text: string) => new TextEncoder().encode(text);

function parse(bytes: Uint8Array, cuts: readonly number[] = []): SseMessage[] {
  const parser = createSseParser(MAX);
  const edges = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b)];
  return [...edges, bytes.length].flatMap((edge, i, all) =>
    i === 0 ? [] : parser.push(bytes.subarray(all[i - 1], edge)),
  );
}
const parseText = (text: string) => parse(encode(text));

/** Any text without line ends, also of characters of two, three and four bytes. */
const text = fc.string({ unit: 'binary', maxLength: 12 }).map((s) => s.replace(/[\r\n\0]/g, ''));
const lineEnd = fc.constantFrom('\n', '\r', '\r\n');
const sent = fc.record({
  type: text,
  data: fc.array(text, { minLength: 1, maxLength: 3 }),
  id: fc.option(text),
  comment: fc.option(text),
});

describe('the parser of event streams', () => {
  it('reads what was sent, whatever ends the lines and wherever the bytes are cut', () => {
    const stream = fc.array(sent, { maxLength: 5 });
    const cuts = fc.array(fc.nat(), { maxLength: 30 });
    const bom = fc.constantFrom('', '\uFEFF');
    fc.assert(
      fc.property(stream, cuts, lineEnd, bom, (events, at, end, mark) => {
        const lines = events.flatMap(({ type, data, id, comment }) => [
          ...(comment === null ? [] : [`:${comment}`]),
          `event: ${type}`,
          ...(id === null ? [] : [`id: ${id}`]),
          ...data.map((line) => `data: ${line}`),
          '',
        ]);
        const bytes = encode(mark + lines.map((line) => line + end).join(''));
        // Half a surrogate pair becomes U+FFFD on its way.
        const asSent = (s: string) =>
          new TextDecoder('utf-8', { ignoreBOM: true }).decode(encode(s));
        expect(parse(bytes, at)).toEqual(
          events.map(({ type, data, id }) => ({
            event: asSent(type) || 'message',
            data: data.map(asSent).join('\n'),
            id: id === null ? null : asSent(id),
          })),
        );
      }),
      { numRuns: 500 },
    );
  });

  it('reads the same from any bytes at all, however they are cut', () => {
    const piece = fc.constantFrom('\r', '\n', ':', ' ', 'data', 'id', 'event', '\0', 'é', '\uFEFF');
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 60 }),
      fc.array(piece, { maxLength: 60 }).map((pieces) => encode(pieces.join(''))),
    );
    fc.assert(
      fc.property(bytes, fc.array(fc.nat(), { maxLength: 30 }), (all, cuts) => {
        expect(parse(all, cuts)).toEqual(parse(all));
      }),
      { numRuns: 1_000 },
    );
  });

  it('takes only what the format calls an event', () => {
    expect(parseText('data\n\n')).toEqual([{ event: 'message', data: '', id: null }]);
    expect(parseText('data:  a\n\n')).toEqual([{ event: 'message', data: ' a', id: null }]);
    expect(parseText('event: x\nid: 1\n\n: note\n\nretry: 5\n\n')).toEqual([]);
    expect(parseText('id: a\0b\ndata: 1\n\n')).toEqual([{ event: 'message', data: '1', id: null }]);
    expect(parseText('data: not closed\n')).toEqual([]);
    expect(parseText('event: x\n\ndata: 1\n\n')).toEqual([
      { event: 'message', data: '1', id: null },
    ]);
  });

  it('refuses an event that grows without end, in one line, in many, or in a comment', () => {
    const tooLarge = expect.objectContaining({ code: 'too-large' });
    for (const endless of ['data: aaaaaaaaaa', 'data: a\n', ': aaaaaaaaa']) {
      const parser = createSseParser(MAX);
      const first = encode(endless);
      const more = encode(endless.endsWith('\n') ? endless : 'a'.repeat(10));
      parser.push(first);
      let problem: unknown = null;
      for (let n = 0; n < MAX && problem === null; n++) {
        try {
          parser.push(more);
        } catch (error) {
          problem = error;
        }
      }
      expect(problem).toEqual(tooLarge);
    }
  });

  it('takes comments for as long as they come, and events one after the other', () => {
    const parser = createSseParser(MAX);
    let count = 0;
    for (let n = 0; n < MAX; n++) {
      expect(parser.push(encode(': still here\n'))).toEqual([]);
      count += parser.push(encode(`data: ${'a'.repeat(MAX / 2)}\n\n`)).length;
    }
    expect(count).toBe(MAX);
  });
});
