import type { Answer } from './answer.js';
import { CHECK_NAMES, type CheckName, TITLES } from './checks/index.js';
import { foundWords } from './checks.js';
import { FOCUS_CHECKS, ROUNDS_MAX } from './limits.js';
import type { LookCloserMeta } from './metas.js';
import { counted } from './printable.js';
import { latestMeta, metasOf, type Step } from './steps.js';

/** How many findings a check has. */
export type Failing = { check: CheckName; found: number; samples: number };

/**
 * Fourth role: takes the worst checks that nobody has looked at closely and sends them back to `checks`, at most
 * `ROUNDS_MAX` times. Looks at nothing itself.
 */
export function triage(steps: readonly Step[]): Answer {
  const detailed = new Set(metasOf(steps, 'detailed').flatMap(({ focus }) => focus));
  const failing = failingChecks(steps).sort((one, other) => rank(one) - rank(other));
  const open = failing.filter((result) => !detailed.has(result.check));
  const round = metasOf(steps, 'look-closer').length + 1;
  const focus = open.slice(0, FOCUS_CHECKS);

  if (focus.length > 0 && round <= ROUNDS_MAX) {
    const later = open.length - focus.length;
    const meta: LookCloserMeta = { round, focus: focus.map((result) => result.check) };
    return {
      body: [
        `**Closer look, round ${round}**: the worst ${counted(focus.length, 'check')} of ${failing.length} with findings${later > 0 ? ` (${later} after that)` : ''}.`,
        '',
        ...focus.map(
          (result) =>
            `- ${TITLES[result.check].heading} (${foundWords(result)}). ${TITLES[result.check].advice}`,
        ),
      ],
      meta: { $status: 'look-closer', ...meta },
    };
  }
  const settled = failing.map((result) => TITLES[result.check].heading);
  return {
    body: [
      settled.length === 0
        ? '**Settled**: no check found anything.'
        : `**Settled** after ${counted(round - 1, 'closer look')}, worst first:`,
      '',
      ...settled.map((heading, index) => `${index + 1}. ${heading}`),
    ],
    meta: { $status: 'settled', rounds: round - 1 },
  };
}

/** The checks with findings, as the checks are listed. */
export function failingChecks(steps: readonly Step[]): Failing[] {
  const overview = latestMeta(steps, 'findings');
  if (overview === undefined) return [];
  return CHECK_NAMES.map((check) => ({
    check,
    found: overview.findings[check] ?? 0,
    samples: overview.sampleFindings[check] ?? 0,
  })).filter(({ found, samples }) => found + samples > 0);
}

/** Order of attention: what is outside of tests and samples first, then as the checks are listed, worst first. */
function rank({ check, found }: Failing): number {
  const severity = CHECK_NAMES.indexOf(check);
  return found > 0 ? severity : severity + CHECK_NAMES.length;
}
