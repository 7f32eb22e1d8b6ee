import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FramePool } from './frame-pool.js';
import { FRAME, FRAME_HEADER_BYTES } from './frame-types.js';
import { decodeFrame } from './frames.js';
import { Inbound } from './inbound.js';
import { LINK_LIMITS } from './limits.js';
import { Outbound } from './outbound.js';

type Step = { readonly do: 'write' | 'pass' | 'read' | 'credit'; readonly size: number };

const step: fc.Arbitrary<Step> = fc.record({
  do: fc.constantFrom('write', 'pass', 'read', 'credit'),
  size: fc.integer({ min: 1, max: 90 }),
});

/** The two halves of one direction of a stream; frames and credit pass between them when they are told to. */
function createWay(windowBytes: number, maxFrameBytes: number) {
  const outbound = new Outbound({
    id: 1,
    limits: { windowBytes, maxFrameBytes, sendBufferBytes: 1_000_000 },
    frames: new FramePool(FRAME_HEADER_BYTES + maxFrameBytes, 4),
    wake: () => undefined,
  });
  const inbound = new Inbound(windowBytes, {
    creditDue: () => undefined,
    drained: () => undefined,
    cancelled: () => undefined,
    touch: () => undefined,
  });
  const way = {
    outbound,
    inbound,
    arrived: 0,
    read: [] as number[],
    /** One frame from the sender to the receiver; false when there was none to send. */
    pass(): boolean {
      const message = outbound.next();
      if (message === null) return false;
      const frame = decodeFrame(message, LINK_LIMITS);
      if (frame?.type === FRAME.end) inbound.end();
      if (frame?.type !== FRAME.data) return true;
      expect(frame.bytes.byteLength).toBeLessThanOrEqual(maxFrameBytes);
      expect(inbound.accept(frame.bytes)).toBe(true);
      way.arrived += frame.bytes.byteLength;
      return true;
    },
    async take() {
      if (inbound.buffered > 0) way.read.push(...((await inbound.read()) ?? []));
    },
  };
  return way;
}

describe('the window of a stream', () => {
  it('lets every byte through in order and never more than it has room for', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 200 }),
        fc.integer({ min: 1, max: 64 }),
        fc.array(step, { maxLength: 120 }),
        async (windowBytes, maxFrameBytes, steps) => {
          const way = createWay(windowBytes, maxFrameBytes);
          let written = 0;
          for (const { do: action, size } of steps) {
            if (action === 'write') {
              await way.outbound.write(Uint8Array.from({ length: size }, (_, i) => written + i));
              written += size;
            } else if (action === 'pass') way.pass();
            else if (action === 'read') await way.take();
            else way.outbound.grant(way.inbound.granted);
            expect(way.inbound.buffered).toBeLessThanOrEqual(windowBytes);
            expect(way.arrived - way.read.length).toBe(way.inbound.buffered);
            expect(way.inbound.granted).toBeLessThanOrEqual(way.read.length + windowBytes);
          }
          // Whatever was held back gets through once everybody does their part.
          way.outbound.end();
          for (let turns = 0; way.inbound.state === 'open'; turns += 1) {
            expect(turns).toBeLessThan(10_000);
            if (way.pass()) continue;
            await way.take();
            way.outbound.grant(way.inbound.granted);
          }
          while (way.inbound.buffered > 0) await way.take();
          expect(way.read).toEqual(Array.from({ length: written }, (_, i) => i & 0xff));
          expect(await way.inbound.read()).toBeNull();
        },
      ),
    );
  });

  it('opens only as its reader reads, and only when half of it is free', async () => {
    const { inbound } = createWay(100, 100);
    expect(inbound.accept(new Uint8Array(40))).toBe(true);
    expect(inbound.accept(new Uint8Array(60))).toBe(true);
    expect(inbound.granted).toBe(100);
    expect(inbound.accept(new Uint8Array(1))).toBe(false);
    const chunk = await inbound.read();
    expect(inbound.granted).toBe(chunk?.byteLength === 40 ? 100 : 200);
    while (inbound.buffered > 0) await inbound.read();
    expect(inbound.granted).toBe(200);
  });

  it('takes a grant twice, and an older one after a newer, without sending more', () => {
    const { outbound } = createWay(10, 100);
    void outbound.write(new Uint8Array(100));
    expect(outbound.next()?.byteLength).toBe(5 + 10);
    outbound.grant(20);
    outbound.grant(20);
    outbound.grant(5);
    expect(outbound.next()?.byteLength).toBe(5 + 10);
    expect(outbound.next()).toBeNull();
  });

  it('keeps a window of single bytes in a few pieces', async () => {
    const windowBytes = 256 * 1024;
    const { inbound } = createWay(windowBytes, 1);
    // Each in the memory of a read of its own, as a socket delivers it.
    for (let i = 0; i < windowBytes; i += 1) {
      inbound.accept(new Uint8Array(new ArrayBuffer(64), 5, 1).fill(i));
    }
    inbound.end();
    let pieces = 0;
    let held = 0;
    const seen: number[] = [];
    for await (const piece of inbound) {
      pieces += 1;
      held += piece.buffer.byteLength;
      for (const byte of piece) seen.push(byte);
    }
    expect(pieces).toBeLessThan(130);
    expect(held).toBeLessThan(2 * windowBytes);
    expect(seen).toEqual(Array.from({ length: windowBytes }, (_, i) => i & 0xff));
  });

  it('does not hold the large reads that small frames came in', async () => {
    const { inbound } = createWay(256 * 1024, 4000);
    for (let i = 0; i < 80; i += 1) {
      inbound.accept(new Uint8Array(new ArrayBuffer(65_536), 100, 3000));
    }
    inbound.end();
    const held: number[] = [];
    for await (const piece of inbound) held.push(piece.buffer.byteLength);
    expect(held.reduce((sum, size) => sum + size, 0)).toBeLessThan(3 * 256 * 1024);
  });
});
