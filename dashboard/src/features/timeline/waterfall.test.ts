import type { StepJson } from '@uncaged/protocol/api';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { waterfall } from './waterfall.js';

const SECOND = 1_000;
const HOUR = 3_600_000;

function step(seq: number, startMs: number, endMs: number | null): StepJson {
  return {
    seq,
    attempt: 1,
    status: endMs === null ? 'running' : 'committed',
    startedAt: new Date(startMs).toISOString(),
    committedAt: endMs === null ? null : new Date(endMs).toISOString(),
  } as StepJson;
}
const barsOf = (steps: StepJson[], now = 0) =>
  waterfall(steps, now).rows.map(({ bar: { from, width } }) => [from, width]);

describe('a waterfall', () => {
  it('puts each step where its time is', () => {
    expect(barsOf([step(1, 0, SECOND), step(2, 2 * SECOND, 4 * SECOND)])).toEqual([
      [0, 0.25],
      [0.5, 0.5],
    ]);
  });

  it('lets the step in flight grow until now', () => {
    const steps = [step(1, 0, SECOND), step(2, SECOND, null)];
    expect(barsOf(steps, 2 * SECOND)).toEqual([
      [0, 0.5],
      [0.5, 0.5],
    ]);
    expect(waterfall(steps, 5 * SECOND).rows[1]?.bar.durationMs).toBe(4 * SECOND);
  });

  it('leaves a long rest out of the scale, and says how long it was', () => {
    const { rows } = waterfall([step(1, 0, SECOND), step(2, HOUR, HOUR + SECOND)], 0);
    expect(rows[1]?.gapBefore).toEqual({ idleMs: HOUR - SECOND });
    expect(rows[1]!.bar.from).toBeLessThan(0.55);
    expect(rows[0]!.bar.width).toBeGreaterThan(0.45);
  });

  it('stays inside and never goes backwards, whatever the clocks said', () => {
    const time = fc.integer({ min: 0, max: 10 * HOUR });
    fc.assert(
      fc.property(
        fc.array(fc.tuple(time, fc.option(time)), { maxLength: 20 }),
        time,
        (spans, now) => {
          const bars = barsOf(
            spans.map(([from, to], index) => step(index + 1, from, to)),
            now,
          );
          let last = 0;
          for (const [from, width] of bars as [number, number][]) {
            expect(from).toBeGreaterThanOrEqual(last - 1e-9);
            expect(width).toBeGreaterThanOrEqual(0);
            expect(from + width).toBeLessThanOrEqual(1 + 1e-9);
            last = from;
          }
        },
      ),
    );
  });

  it('of nothing is empty', () => {
    expect(waterfall([], 0).rows).toEqual([]);
  });
});
