import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LANE_GAP } from './graph-sizes.js';
import { assignLanes } from './lanes.js';

describe('assignLanes', () => {
  it('puts short lanes inside of long ones', () => {
    const lanes = assignLanes([
      { key: 'long', least: 100, top: 0, bottom: 500 },
      { key: 'short', least: 100, top: 100, bottom: 200 },
    ]);
    expect(Object.fromEntries(lanes)).toEqual({ short: 100, long: 100 + LANE_GAP });
  });

  it('lets lanes that do not meet stand in one line', () => {
    const lanes = assignLanes([
      { key: 'a', least: 100, top: 0, bottom: 100 },
      { key: 'b', least: 100, top: 200, bottom: 300 },
    ]);
    expect([...lanes.values()]).toEqual([100, 100]);
  });

  it('keeps lanes that pass each other apart and none nearer than it may be', () => {
    const wish = fc.record({
      least: fc.integer({ min: 0, max: 60 }),
      top: fc.integer({ min: 0, max: 400 }),
      length: fc.integer({ min: 0, max: 400 }),
    });
    fc.assert(
      fc.property(fc.array(wish, { maxLength: 30 }), (wishes) => {
        const all = wishes.map(({ least, top, length }, index) => ({
          ...{ key: `${index}`, least, top, bottom: top + length },
        }));
        const lanes = assignLanes(all);
        for (const a of all) {
          const at = lanes.get(a.key)!;
          expect(at).toBeGreaterThanOrEqual(a.least);
          for (const b of all)
            if (a.key < b.key && a.top <= b.bottom && b.top <= a.bottom)
              expect(Math.abs(at - lanes.get(b.key)!)).toBeGreaterThanOrEqual(LANE_GAP);
        }
      }),
    );
  });
});
