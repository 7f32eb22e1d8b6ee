/** How often a fault is tried: `full` in `npm run test:faults`, `reduced` in `npm test`. */
export const faultCount = (counts: { reduced: number; full: number }): number =>
  process.env.UWF_TEST_FAULTS === 'full' ? counts.full : counts.reduced;
