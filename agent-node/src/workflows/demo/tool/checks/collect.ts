import { FINDINGS_KEPT, SHOWN_MESSAGE_CHARS } from '../limits.js';
import { counted, printable, shorten } from '../printable.js';
import type { CheckName, CheckResult, Finding } from './types.js';

export type Collector = {
  looked: (more?: number) => void;
  found: (finding: Finding) => void;
  /** Counts a file that was not judged. */
  skip: (reason: string, more?: number) => void;
  /** Says what else was left out. */
  note: (text: string) => void;
  result: () => CheckResult;
};

/** Gathers what one check finds; keeps a bounded number of findings and counts the rest. */
export function createCollector(check: CheckName): Collector {
  let looked = 0;
  let found = 0;
  let samples = 0;
  const real: Finding[] = [];
  const sample: Finding[] = [];
  const skipped = new Map<string, number>();
  const notes: string[] = [];
  return {
    looked: (more = 1) => {
      looked += more;
    },
    found: (finding) => {
      const kept = finding.sample ? sample : real;
      if (finding.sample) samples += 1;
      else found += 1;
      if (kept.length < FINDINGS_KEPT) {
        kept.push({ ...finding, what: shorten(printable(finding.what), SHOWN_MESSAGE_CHARS) });
      }
    },
    skip: (reason, more = 1) => {
      skipped.set(reason, (skipped.get(reason) ?? 0) + more);
    },
    note: (text) => {
      notes.push(text);
    },
    result: () => ({
      check,
      looked,
      found,
      samples,
      findings: [...real, ...sample],
      leftOut: [
        ...[...skipped].map(([reason, files]) => `${counted(files, 'file')} ${reason}`),
        ...notes,
      ],
    }),
  };
}
