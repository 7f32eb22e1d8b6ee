import type { Answer } from './answer.js';
import {
  CHECK_NAMES,
  type CheckContext,
  type CheckName,
  type CheckResult,
  type Finding,
  runChecks,
  TITLES,
} from './checks/index.js';
import { openRepository } from './git.js';
import { EXAMPLES_MAX_CHARS, EXAMPLES_PER_CHECK, FINDINGS_LISTED } from './limits.js';
import type { DetailsMeta, OverviewMeta } from './metas.js';
import { code, count, counted } from './printable.js';
import { createFileReader } from './read-file.js';
import { latestMeta, type Step } from './steps.js';
import { directoryOf } from './tracked-files.js';

/**
 * Third role, visited twice or more: at first it counts what each check finds; sent back by triage, it gives file and
 * line of everything the named checks found.
 */
export async function checks(directory: string, steps: readonly Step[]): Promise<Answer> {
  const asked = steps.at(-1)?.role === 'triage' ? latestMeta(steps, 'look-closer') : undefined;
  const context = await openContext(directory, asked !== undefined);
  return asked === undefined
    ? overview(await runChecks(context, CHECK_NAMES))
    : closerLook(await runChecks(context, asked.focus), asked.round);
}

async function openContext(directory: string, closely: boolean): Promise<CheckContext> {
  const repository = await openRepository(directory);
  if ('status' in repository) throw new Error(repository.why);
  const { files } = repository.tracked;
  const directories = new Set<string>();
  for (const file of files) {
    for (
      let one = directoryOf(file.key);
      one !== '' && !directories.has(one);
      one = directoryOf(one)
    )
      directories.add(one);
  }
  return {
    repository,
    reader: createFileReader(repository.root),
    files,
    names: new Set(files.map((file) => file.key)),
    directories,
    closely,
  };
}

function overview(results: readonly CheckResult[]): Answer {
  const found = sum(results, (result) => result.found);
  const samples = sum(results, (result) => result.samples);
  const failing = results.filter((result) => result.found + result.samples > 0);
  const passed = results.filter(
    (result) => result.found + result.samples === 0 && result.looked > 0,
  );
  const leftOut = results.flatMap((result) =>
    result.leftOut.map((note) => `${TITLES[result.check].heading}: ${note}`),
  );
  const meta: OverviewMeta = {
    found,
    samples,
    findings: byCheck(results, (result) => result.found),
    sampleFindings: byCheck(results, (result) => result.samples),
    looked: byCheck(results, (result) => result.looked),
    leftOut,
  };
  return {
    body: [
      found + samples === 0
        ? `**Nothing wrong** in ${counted(passed.length, 'check')}.`
        : `**${counted(found, 'finding')}**${samples === 0 ? '' : ` and ${count(samples)} among tests and samples`}, in ${counted(failing.length, 'check')} of ${count(failing.length + passed.length)}.`,
      '',
      ...failing.map(
        (result) =>
          `- ✗ ${TITLES[result.check].heading}: ${foundWords(result)}, in ${examined(result)}`,
      ),
      ...(passed.length === 0 ? [] : [`- ✓ Fine: ${passed.map(examined).join(', ')}`]),
      ...leftOut.map((note) => `- Left out: ${note}`),
    ],
    meta: { $status: found + samples === 0 ? 'ok' : 'findings', ...meta },
  };
}

function byCheck(
  results: readonly CheckResult[],
  of: (result: CheckResult) => number,
): Partial<Record<CheckName, number>> {
  return Object.fromEntries(
    results.filter((result) => of(result) > 0).map((result) => [result.check, of(result)]),
  );
}

function closerLook(results: readonly CheckResult[], round: number): Answer {
  const meta: DetailsMeta = {
    round,
    focus: results.map(({ check }) => check),
    examples: pickExamples(results),
  };
  return {
    body: results.flatMap((result, index) => [
      ...(index === 0 ? [] : ['']),
      `**${TITLES[result.check].heading}** (${foundWords(result)})`,
      '',
      ...result.findings.slice(0, FINDINGS_LISTED).map((finding) => `- ${findingWords(finding)}`),
      ...more(result.found + result.samples - FINDINGS_LISTED),
    ]),
    meta: { $status: 'detailed', ...meta },
  };
}

/** The first findings of each check, in turns, so that every check has one before any has more. */
export function pickExamples(
  results: readonly Pick<CheckResult, 'check' | 'findings'>[],
): DetailsMeta['examples'] {
  const picked: DetailsMeta['examples'] = {};
  let chars = 0;
  for (let turn = 0; turn < EXAMPLES_PER_CHECK; turn += 1) {
    for (const { check, findings } of results) {
      const finding = findings[turn];
      if (finding === undefined) continue;
      const example = findingWords(finding);
      chars += example.length;
      if (turn > 0 && chars > EXAMPLES_MAX_CHARS) return picked;
      picked[check] = [...(picked[check] ?? []), example];
    }
  }
  return picked;
}

/** One finding in a line of Markdown. */
function findingWords({ name, line, what, sample }: Finding): string {
  return `${code(line === null ? name : `${name}:${line}`)} ${what}${sample ? ' *(test or sample)*' : ''}`;
}

/** `3 findings, 2 of them among tests and samples`. */
export function foundWords({ found, samples }: { found: number; samples: number }): string {
  if (samples === 0) return count(found);
  return found === 0
    ? `${count(samples)}, all among tests and samples`
    : `${count(found)} and ${count(samples)} among tests and samples`;
}

function examined(result: { check: CheckName; looked: number }): string {
  const title = TITLES[result.check];
  return counted(result.looked, title.one, title.many);
}

function more(rest: number): string[] {
  return rest > 0 ? [`- … and ${count(rest)} more`] : [];
}

function sum(results: readonly CheckResult[], of: (result: CheckResult) => number): number {
  return results.reduce((total, result) => total + of(result), 0);
}
