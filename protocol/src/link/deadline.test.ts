import { describe, expect, it } from 'vitest';
import { Deadline } from './deadline.js';
import { createManualClock } from './manual-clock.test-data.js';

describe('a deadline', () => {
  it('expires once, a limit after it was last touched', async () => {
    const clock = createManualClock();
    let expired = 0;
    const deadline = new Deadline(clock, 100, () => {
      expired += 1;
    });
    await clock.advance(60);
    deadline.touch();
    await clock.advance(99);
    expect(expired).toBe(0);
    await clock.advance(1);
    await clock.advance(1000);
    expect(expired).toBe(1);
    expect(clock.pending()).toBe(0);
  });

  it('lets what has arrived meanwhile count before it expires', async () => {
    const clock = createManualClock();
    let expired = false;
    const inTime = {
      ...clock,
      // What stood in the socket while the process stood still is read before the turn of what was put off to it.
      soon: (task: () => void) =>
        clock.soon(() => {
          deadline.touch();
          task();
        }),
    };
    const deadline = new Deadline(inTime, 100, () => {
      expired = true;
    });
    await clock.advance(1000);
    expect(expired).toBe(false);
    deadline.stop();
    expect(clock.pending()).toBe(0);
  });
});
