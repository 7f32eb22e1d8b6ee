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
import { FINDINGS_CARRIED, FINDINGS_CARRIED_BYTES, FINDINGS_LISTED } from './limits.js';
import { code, count, counted } from './printable.js';
import { createFileReader } from './read-file.js';
import type { CheckCount, Detail, PreviousMeta, SoFar } from './so-far.js';
import { directoryOf, listTrackedFiles } from './tracked-files.js';

/**
 * Third role, visited twice or more: at first it counts what each check finds; sent back by triage, it gives file and
 * line of everything the named checks found.
 */
export async function checks(directory: string, previous: PreviousMeta): Promise<Answer> {
  const focus = (previous.focus ?? []).filter((name) => CHECK_NAMES.includes(name));
  const context = await openContext(directory, focus.length > 0);
  const soFar = previous.soFar ?? {};
  return focus.length === 0
    ? overview(await runChecks(context, CHECK_NAMES), soFar)
    : closerLook(await runChecks(context, focus), focus, previous.round ?? 1, soFar);
}

async function openContext(directory: string, closely: boolean): Promise<CheckContext> {
  const repository = await openRepository(directory);
  if ('status' in repository) throw new Error(repository.why);
  const { files } = await listTrackedFiles(repository);
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

function overview(results: readonly CheckResult[], soFar: SoFar): Answer {
  const found = sum(results, (result) => result.found);
  const samples = sum(results, (result) => result.samples);
  const counts: CheckCount[] = results.map(({ findings: _, ...rest }) => rest);
  const failing = results.filter((result) => result.found + result.samples > 0);
  const passed = results.filter(
    (result) => result.found + result.samples === 0 && result.looked > 0,
  );
  const notes = results.flatMap((result) =>
    result.leftOut.map((note) => `- Left out (${TITLES[result.check].heading}): ${note}`),
  );
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
      ...notes,
    ],
    meta: {
      $status: found + samples === 0 ? 'ok' : 'findings',
      found,
      samples,
      failing: failing.map((result) => result.check).join(', '),
      soFar: { ...soFar, checks: counts },
    },
  };
}

function closerLook(
  results: readonly CheckResult[],
  focus: readonly CheckName[],
  round: number,
  soFar: SoFar,
): Answer {
  const details: Detail[] = results.map(({ check, findings }) => ({
    check,
    findings: findings.slice(0, FINDINGS_CARRIED),
  }));
  return {
    body: results.flatMap((result, index) => [
      ...(index === 0 ? [] : ['']),
      `**${TITLES[result.check].heading}** (${foundWords(result)})`,
      '',
      ...result.findings.slice(0, FINDINGS_LISTED).map(findingLine),
      ...more(result.found + result.samples - FINDINGS_LISTED),
    ]),
    meta: {
      $status: 'detailed',
      focus,
      round,
      soFar: { ...soFar, details: fitDetails([...(soFar.details ?? []), ...details]) },
    },
  };
}

/** Keeps what is carried on within its bytes: the later, lesser checks lose findings first, but never their first. */
export function fitDetails(details: readonly Detail[]): Detail[] {
  const fitted = details.map(({ check, findings }) => ({ check, findings: [...findings] }));
  for (let at = fitted.length - 1; at >= 0; ) {
    if (Buffer.byteLength(JSON.stringify(fitted)) <= FINDINGS_CARRIED_BYTES) break;
    const findings = fitted[at]?.findings ?? [];
    if (findings.length > 1) findings.pop();
    else at -= 1;
  }
  return fitted;
}

/** One finding as a list item. */
export function findingLine({ name, line, what, sample }: Finding): string {
  return `- ${code(line === null ? name : `${name}:${line}`)} ${what}${sample ? ' *(test or sample)*' : ''}`;
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
