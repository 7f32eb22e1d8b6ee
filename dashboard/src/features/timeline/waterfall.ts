import type { StepJson } from '@uncaged/protocol/api';

/** A bar of the waterfall. Shares of the whole width, from 0 to 1. */
export type Bar = { step: StepJson; from: number; width: number; durationMs: number };
/** Between two bars: nothing happened for so long, and that is left out of the scale. */
export type Gap = { idleMs: number };
export type WaterfallRow = { bar: Bar; gapBefore: Gap | null };
export type Waterfall = { rows: WaterfallRow[]; totalMs: number };

/** So long without any step, ms, is left out of the scale: a night's pause would leave no room for the steps. */
const IDLE_MS = 60_000;
/** What is left of it, as a share of the time in steps: it is seen that something was left out. */
const GAP_SHARE = 0.02;

/**
 * Steps along their time. One after the other or, where clocks were set, at least never backwards. A step in flight goes on
 * until `now` (ms since epoch).
 */
export function waterfall(steps: readonly StepJson[], now: number): Waterfall {
  const spans = steps.map((step) => {
    const from = Date.parse(step.startedAt);
    const end =
      step.committedAt === null
        ? step.status === 'running'
          ? now
          : from
        : Date.parse(step.committedAt);
    return { step, from, durationMs: Math.max(0, end - from) };
  });
  const busyMs = spans.reduce((sum, { durationMs }) => sum + durationMs, 0);
  const gapMs = busyMs * GAP_SHARE;
  const rows: { step: StepJson; at: number; durationMs: number; gapBefore: Gap | null }[] = [];
  let at = 0;
  let lastEnd: number | null = null;
  for (const { step, from, durationMs } of spans) {
    const restMs = lastEnd === null ? 0 : Math.max(0, from - lastEnd);
    const isIdle = restMs > IDLE_MS;
    at += isIdle ? gapMs : restMs;
    rows.push({ step, at, durationMs, gapBefore: isIdle ? { idleMs: restMs } : null });
    at += durationMs;
    lastEnd = from + durationMs;
  }
  const totalMs = Math.max(1, at);
  return {
    totalMs,
    rows: rows.map(({ step, at: begins, durationMs, gapBefore }) => ({
      gapBefore,
      bar: { step, from: begins / totalMs, width: durationMs / totalMs, durationMs },
    })),
  };
}
