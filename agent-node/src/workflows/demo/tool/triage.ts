import type { Answer } from './answer.js';
import { CHECK_NAMES, type CheckName, TITLES } from './checks/index.js';
import { foundWords } from './checks.js';
import { FOCUS_CHECKS, ROUNDS_MAX } from './limits.js';
import { counted } from './printable.js';
import type { CheckCount, PreviousMeta } from './so-far.js';

/**
 * Fourth role: takes the worst checks that nobody has looked at closely and sends them back to `checks`, at most
 * `ROUNDS_MAX` times; then passes everything on to the report. Looks at nothing itself.
 */
export function triage(previous: PreviousMeta): Answer {
  const soFar = previous.soFar ?? {};
  const detailed = new Set((soFar.details ?? []).map((detail) => detail.check));
  const failing = (soFar.checks ?? [])
    .filter((result) => result.found + result.samples > 0)
    .sort((one, other) => rank(one) - rank(other));
  const open = failing.filter((result) => !detailed.has(result.check));
  const round = (previous.round ?? 0) + 1;
  const focus = open.slice(0, FOCUS_CHECKS);

  if (focus.length > 0 && round <= ROUNDS_MAX) {
    const later = open.length - focus.length;
    return {
      body: [
        `**Closer look, round ${round}**: the worst ${counted(focus.length, 'check')} of ${failing.length} with findings${later > 0 ? ` (${later} after that)` : ''}.`,
        '',
        ...focus.map(
          (result) =>
            `- ${TITLES[result.check].heading} (${foundWords(result)}). ${TITLES[result.check].advice}`,
        ),
      ],
      meta: {
        $status: 'look-closer',
        round,
        focus: focus.map((result) => result.check),
        focusNames: focus.map((result) => TITLES[result.check].heading).join('; '),
        soFar,
      },
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
    meta: { $status: 'settled', rounds: round - 1, soFar },
  };
}

/** Order of attention: what is outside of tests and samples first, then as the checks are listed, worst first. */
function rank(result: CheckCount): number {
  const severity = CHECK_NAMES.indexOf(result.check satisfies CheckName);
  return result.found > 0 ? severity : severity + CHECK_NAMES.length;
}
