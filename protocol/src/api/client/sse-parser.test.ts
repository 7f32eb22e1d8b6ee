import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSseParser, type SseMessage } from './sse-parser.js';

const encoder = new TextEncoder();

function parse(...pieces: (string | Uint8Array)[]): SseMessage[] {
  const parser = createSseParser();
  return pieces.flatMap((piece) =>
    parser.push(typeof piece === 'string' ? encoder.encode(piece) : piece),
  );
}

describe('a parser of server-sent events', () => {
  it('reads names, ids and data of several lines', () => {
    expect(parse('event: step.started\nid: a.1\ndata: one\ndata:two\ndata\n\ndata:x\n\n')).toEqual([
      { event: 'step.started', id: 'a.1', data: 'one\ntwo\n' },
      { event: 'message', id: null, data: 'x' },
    ]);
  });

  it('drops comments, unknown fields, events without data, ids with NUL, and what the end cuts off', () => {
    expect(
      parse(': hello\n\nevent: x\n\nfoo: bar\nretry: 5\nid: a\0b\ndata:  y\n\ndata: z\n'),
    ).toEqual([{ event: 'message', id: null, data: ' y' }]);
  });

  it('drops a BOM at the beginning, even one that is cut', () => {
    const bytes = encoder.encode('\uFEFFdata: a\n\n');
    expect(parse(bytes.slice(0, 1), bytes.slice(1))).toEqual([
      { event: 'message', id: null, data: 'a' },
    ]);
  });

  it('takes CR LF that is cut in its middle for one end, and the LF after that for another', () => {
    expect(parse('data: a\r', '\n', '\n')).toEqual([{ event: 'message', id: null, data: 'a' }]);
    expect(parse('data: a\r', '\ndata: b\r\n', '\r\n')).toEqual([
      { event: 'message', id: null, data: 'a\nb' },
    ]);
    expect(parse('data: a\r\r')).toHaveLength(1);
  });

  it('gives up an event that grows without end, in one line or in many', () => {
    const line = createSseParser(100);
    const lines = createSseParser(100);
    const grow = (push: () => void) => {
      for (let i = 0; i < 100; i++) push();
    };
    expect(() => grow(() => line.push(encoder.encode('data 12')))).toThrow('more than 100');
    expect(() => grow(() => lines.push(encoder.encode('data:1\n')))).toThrow('more than 100');
    const small = createSseParser(100);
    grow(() => small.push(encoder.encode(`data: ${'x'.repeat(50)}\n\n`)));
  });

  it('says the same wherever the bytes are cut and however lines end', () => {
    const text = fc
      .string({ unit: 'grapheme' })
      .map((it) => it.toWellFormed().replace(/[\r\n]/g, ' '));
    const word = text.map((it) => it.replaceAll('\0', ''));
    const message = fc.record({
      event: word.map((it) => (it === '' ? 'message' : it)),
      id: fc.option(word),
      data: fc.array(text, { minLength: 1, maxLength: 3 }).map((lines) => lines.join('\n')),
    });
    const end = fc.constantFrom('\n', '\r', '\r\n');
    const given = fc.record({
      messages: fc.array(message, { maxLength: 5 }),
      ends: fc.array(end, { minLength: 1 }),
      cuts: fc.array(fc.nat(400)),
      bom: fc.boolean(),
    });
    fc.assert(
      fc.property(given, ({ messages, ends, cuts, bom }) => {
        const lines = messages.flatMap(({ event, id, data }) => [
          ': comment',
          `event: ${event}`,
          ...(id === null ? [] : [`id: ${id}`]),
          ...data.split('\n').map((line) => `data: ${line}`),
          '',
        ]);
        // An empty line after CR must not make CR LF of the two: with its own end it would be one.
        let written = bom ? '\uFEFF' : '';
        lines.forEach((line, n) => {
          const next = ends[n % ends.length]!;
          const joined = line === '' && written.endsWith('\r') && next.startsWith('\n');
          written += line + (joined ? '\r' : next);
        });
        const bytes = encoder.encode(written);
        const at = [...new Set(cuts.map((cut) => Math.min(cut, bytes.length)))].sort(
          (a, b) => a - b,
        );
        const pieces = [0, ...at].map((from, n) => bytes.slice(from, at[n] ?? bytes.length));
        expect(parse(...pieces)).toEqual(messages);
      }),
      { numRuns: 300 },
    );
  });
});
