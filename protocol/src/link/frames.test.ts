import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isProblem } from '../problem/index.js';
import { FRAME, type Frame } from './frame-types.js';
import { decodeFrame, encodeFrame, maxMessageBytes } from './frames.js';
import { LINK_LIMITS } from './limits.js';

const stream = fc.integer({ min: 1, max: 0xff_ff_ff_ff });
const text = fc.string({ minLength: 1, maxLength: 40 });
const headers = fc.array(
  fc.tuple(
    fc.stringMatching(/^[a-z0-9-]{1,20}$/),
    fc.stringMatching(/^[\t\x20-\x7e\x80-\xff]{0,40}$/),
  ),
  { maxLength: 5 },
);
const frame: fc.Arbitrary<Frame> = fc.oneof(
  fc.record({
    type: fc.constant(FRAME.hello),
    stream: fc.constant(0 as const),
    payload: fc.record({
      protocols: fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 }),
      node: text,
      instance: text,
      version: text,
      labels: fc.dictionary(fc.stringMatching(/^[a-z]{1,9}$/), fc.string()),
      allow: fc.subarray(['read', 'control', 'run', 'publish'] as const),
    }),
  }) as fc.Arbitrary<Frame>,
  fc.record({
    type: fc.constant(FRAME.welcome),
    stream: fc.constant(0 as const),
    payload: fc.record({
      protocol: fc.integer({ min: 1, max: 9 }),
      gateway: text,
      generation: fc.nat(),
      heartbeatMs: fc.integer({ min: 1, max: 600_000 }),
      maxFrame: fc.integer({ min: 1, max: 1024 * 1024 }),
      window: fc.integer({ min: 1, max: 1024 * 1024 }),
      maxStreams: fc.integer({ min: 1, max: 1000 }),
    }),
  }),
  fc.record({
    type: fc.constantFrom(FRAME.ping, FRAME.pong),
    stream: fc.constant(0 as const),
    nonce: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  }),
  fc.record({
    type: fc.constant(FRAME.request),
    stream,
    payload: fc.record({
      method: fc.constantFrom('GET' as const, 'POST' as const, 'DELETE' as const),
      path: fc.stringMatching(/^\/[\x21-\x7e]{0,60}$/),
      headers,
      end: fc.boolean(),
    }),
  }),
  fc.record({
    type: fc.constant(FRAME.response),
    stream,
    payload: fc.record({ status: fc.integer({ min: 200, max: 599 }), headers, end: fc.boolean() }),
  }),
  fc.record({
    type: fc.constant(FRAME.data),
    stream,
    bytes: fc.uint8Array({ maxLength: 1000 }),
  }),
  fc.record({ type: fc.constant(FRAME.end), stream }),
  fc.record({
    type: fc.constant(FRAME.reset),
    stream,
    payload: fc.record({
      code: fc.constantFrom('cancelled' as const, 'no-error' as const, 'credit' as const),
      message: fc.string({ maxLength: 100 }),
    }),
  }),
  fc.record({ type: fc.constant(FRAME.credit), stream, offset: fc.maxSafeNat() }),
  fc.record({
    type: fc.constant(FRAME.goaway),
    stream: fc.constant(0 as const),
    payload: fc.record({
      code: fc.constantFrom('shutdown' as const, 'bad-frame' as const),
      message: fc.string({ maxLength: 100 }),
      lastStream: fc.integer({ min: 0, max: 0xff_ff_ff_ff }),
    }),
  }),
);

function refusal(bytes: Uint8Array): string {
  try {
    decodeFrame(bytes, LINK_LIMITS);
  } catch (error) {
    if (isProblem(error, 'bad-frame')) return error.message;
    throw error;
  }
  return 'accepted';
}

function rawFrame(type: number, streamId: number, payload: Uint8Array | string): Uint8Array {
  const bytes = typeof payload === 'string' ? new TextEncoder().encode(payload) : payload;
  const message = new Uint8Array(5 + bytes.byteLength);
  message[0] = type;
  new DataView(message.buffer).setUint32(1, streamId);
  message.set(bytes, 5);
  return message;
}

describe('frames', () => {
  it('come out as they went in', () => {
    fc.assert(
      fc.property(frame, (original) => {
        expect(decodeFrame(encodeFrame(original), LINK_LIMITS)).toEqual(original);
      }),
      { numRuns: 500 },
    );
  });

  it('have their type, then their stream, most significant byte first', () => {
    const bytes = encodeFrame({
      type: FRAME.data,
      stream: 0x01_02_03_04,
      bytes: new Uint8Array([9]),
    });
    expect([...bytes]).toEqual([0x12, 1, 2, 3, 4, 9]);
    const credit = encodeFrame({ type: FRAME.credit, stream: 0xff_ff_ff_ff, offset: 2 ** 40 + 5 });
    expect([...credit]).toEqual([0x15, 255, 255, 255, 255, 0, 0, 1, 0, 0, 0, 0, 5]);
  });

  it('are read from the middle of a larger buffer as from one of their own', () => {
    fc.assert(
      fc.property(frame, fc.nat(20), (original, before) => {
        const message = encodeFrame(original);
        const buffer = new Uint8Array(before + message.byteLength + 3).fill(0xaa);
        buffer.set(message, before);
        const view = buffer.subarray(before, before + message.byteLength);
        expect(decodeFrame(view, LINK_LIMITS)).toEqual(original);
      }),
    );
  });

  it('of any bytes are read, left aside or refused as bad frames, nothing else', () => {
    const mutated = fc
      .tuple(frame, fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 4 }), fc.nat(3))
      .map(([original, changes, cut]) => {
        const bytes = encodeFrame(original);
        for (const [at, value] of changes) bytes[at % bytes.byteLength] = value;
        return bytes.subarray(0, Math.max(0, bytes.byteLength - cut));
      });
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 200 }), mutated), (bytes) => {
        expect(typeof refusal(bytes)).toBe('string');
      }),
      { numRuns: 2000 },
    );
  });

  it('of unknown types are left aside with the top bit set and refused without', () => {
    expect(decodeFrame(rawFrame(0x80, 0, 'x'), LINK_LIMITS)).toBeNull();
    expect(decodeFrame(rawFrame(0xff, 7, 'x'), LINK_LIMITS)).toBeNull();
    for (const type of [0x00, 0x05, 0x16, 0x7f]) {
      expect(refusal(rawFrame(type, 1, ''))).toContain('unknown type');
    }
  });

  it('are held to their sizes', () => {
    const { maxFrameBytes, maxHeadBytes } = LINK_LIMITS;
    expect(refusal(rawFrame(FRAME.data, 1, new Uint8Array(maxFrameBytes)))).toBe('accepted');
    expect(refusal(rawFrame(FRAME.data, 1, new Uint8Array(maxFrameBytes + 1)))).toContain('larger');
    expect(refusal(rawFrame(0x99, 1, new Uint8Array(maxFrameBytes + 1)))).toContain('larger');
    const head = (size: number) =>
      rawFrame(FRAME.reset, 1, `${JSON.stringify({ code: 'internal', message: '' }).padEnd(size)}`);
    expect(refusal(head(maxHeadBytes))).toBe('accepted');
    expect(refusal(head(maxHeadBytes + 1))).toContain(`RESET of ${maxHeadBytes + 1} bytes`);
    expect(maxMessageBytes(LINK_LIMITS)).toBe(32 * 1024 + 5);
  });

  it('belong to the connection or to a stream, as their type says', () => {
    expect(refusal(rawFrame(FRAME.data, 0, 'x'))).toContain('without a stream');
    expect(refusal(rawFrame(FRAME.reset, 0, '{}'))).toContain('without a stream');
    expect(refusal(rawFrame(FRAME.ping, 3, new Uint8Array(8)))).toContain('in stream 3');
    const goaway = '{"code":"shutdown","message":"","lastStream":0}';
    expect(refusal(rawFrame(FRAME.goaway, 3, goaway))).toContain('in stream 3');
  });

  it('are refused with payloads that are short, no JSON, no UTF-8 or not what they should be', () => {
    expect(refusal(rawFrame(FRAME.ping, 0, new Uint8Array(7)))).toContain('7 bytes instead of 8');
    expect(refusal(rawFrame(FRAME.credit, 1, new Uint8Array(9)))).toContain('9 bytes instead of 8');
    expect(refusal(rawFrame(FRAME.end, 1, 'x'))).toContain('1 bytes instead of 0');
    expect(refusal(rawFrame(FRAME.credit, 1, new Uint8Array(8).fill(0xff)))).toContain('CREDIT');
    expect(refusal(rawFrame(FRAME.reset, 1, '{"code":'))).toContain('RESET is not JSON');
    expect(refusal(rawFrame(FRAME.reset, 1, new Uint8Array([0x22, 0xff, 0x22])))).toContain(
      'UTF-8',
    );
    expect(refusal(rawFrame(FRAME.reset, 1, '{"code":"none","message":""}'))).toContain(
      'RESET.code',
    );
    const request = (path: string, header: string) =>
      rawFrame(
        FRAME.request,
        1,
        JSON.stringify({ method: 'GET', path, headers: [['a', header]], end: true }),
      );
    expect(refusal(request('/a?b=%0d', 'fine'))).toBe('accepted');
    expect(refusal(request('/a\r\nb', 'fine'))).toContain('REQUEST.path');
    expect(refusal(request('http://x/', 'fine'))).toContain('REQUEST.path');
    expect(refusal(request('/', 'a\r\nb: c'))).toContain('REQUEST.headers.0.1');
  });
});
