import type { Answer } from './answer.js';
import { CHECK_NAMES, TITLES } from './checks/index.js';
import { findingLine, foundWords } from './checks.js';
import { hotWords, spanWords } from './history.js';
import { mainLanguage } from './languages.js';
import { code, codeCell, count, counted, size } from './printable.js';
import type { CheckCount, HistoryFacts, PreviousMeta, SoFar, SurveyFacts } from './so-far.js';
import { workingTree } from './survey.js';

/** Last role: the report. Reads nothing but what the steps before have found. */
export function report(previous: PreviousMeta): Answer {
  const status = previous.$status ?? '';
  if (status in ADVICE)
    return stopped(ADVICE[status] ?? '', previous.why ?? 'there is no repository to read');
  const soFar = previous.soFar ?? {};
  const trouble = [...(soFar.trouble ?? [])];
  if (status === 'failed' && trouble.length === 0) {
    trouble.push(
      'the step before ended without an answer; `uwf step list` shows which, and what it said',
    );
  }
  const headline = headlineOf(soFar, trouble.length > 0);
  return {
    body: [
      `# ${headline}`,
      '',
      ...trouble.map((what) => `> **Incomplete**: ${what}.`),
      ...(trouble.length > 0 ? [''] : []),
      ...lookFirst(soFar),
      ...wrong(soFar),
      ...(soFar.history === undefined ? [] : work(soFar.history)),
      ...(soFar.survey === undefined ? [] : contents(soFar.survey)),
      ...leftOut(soFar),
    ],
    meta: {
      $status: trouble.length > 0 ? 'incomplete' : 'done',
      headline,
      repository: soFar.survey?.repository ?? 'unknown',
      files: soFar.survey?.files ?? 0,
      lines: soFar.survey?.lines ?? 0,
      commits: soFar.history?.commits ?? 0,
      findings: totals(soFar).found,
    },
  };
}

const ADVICE: Readonly<Record<string, string>> = Object.assign(Object.create(null), {
  'no-git':
    'Install git (`apt install git`, `brew install git`) on the machine that runs this node, then run it again.',
  'not-a-repository':
    'Run it inside of a git repository, or name one: `uwf run demo --workspace <directory>`. `git init` makes one.',
  'no-commits': 'Make a first commit (`git add` and `git commit`), then run it again.',
  unreadable: 'Solve what git says there, then run it again.',
});

function stopped(advice: string, why: string): Answer {
  return {
    body: ['# Nothing to report', '', `${why[0]?.toUpperCase() ?? ''}${why.slice(1)}.`, '', advice],
    meta: { $status: 'nothing', headline: `Nothing to report: ${why}` },
  };
}

function totals(soFar: SoFar): { found: number; samples: number } {
  let found = 0;
  let samples = 0;
  for (const result of soFar.checks ?? []) {
    found += result.found;
    samples += result.samples;
  }
  return { found, samples };
}

function headlineOf(soFar: SoFar, incomplete: boolean): string {
  const { survey } = soFar;
  if (survey === undefined) return 'The repository could not be read to the end';
  const main = mainLanguage(survey.languages);
  const what = `${survey.repository}: ${counted(survey.files, 'file')}${main === null ? '' : `, mostly ${main}`}`;
  if (soFar.checks === undefined)
    return `${what}, ${incomplete ? 'not checked to the end' : 'not checked'}`;
  const { found } = totals(soFar);
  return `${what}, ${found === 0 ? 'nothing wrong found' : `${counted(found, 'finding')}`}`;
}

/** At most this many things to begin with. */
const FIRST_THINGS = 5;
const FIRST_HOT = 2;
/** Two changes are a correction, three begin to be a habit. */
const FIRST_HOT_CHANGES = 3;

function lookFirst(soFar: SoFar): string[] {
  const things: string[] = [];
  for (const { check, findings } of soFar.details ?? []) {
    const [first] = findings.filter((finding) => !finding.sample);
    if (first === undefined) continue;
    const others = (countOf(soFar, check)?.found ?? 1) - 1;
    things.push(
      `${findingLine(first).slice('- '.length)}${others > 0 ? ` (and ${count(others)} like it)` : ''}`,
    );
  }
  const wrongFirst = things.slice(0, FIRST_THINGS - FIRST_HOT);
  const hot = (soFar.history?.hot ?? [])
    .filter((file) => file.lines > 0 && file.changes >= FIRST_HOT_CHANGES)
    .slice(0, FIRST_THINGS - wrongFirst.length)
    .slice(0, FIRST_HOT)
    .map((file) => `${code(file.name)} ${hotWords(file)}`);
  const all = [...wrongFirst, ...hot];
  if (all.length === 0) return [];
  return ['**Look at first**', '', ...all.map((thing, index) => `${index + 1}. ${thing}`), ''];
}

function countOf(soFar: SoFar, check: CheckCount['check']): CheckCount | undefined {
  return soFar.checks?.find((result) => result.check === check);
}

function wrong(soFar: SoFar): string[] {
  const results = soFar.checks;
  if (results === undefined) return [];
  const failing = CHECK_NAMES.flatMap((name) => results.filter((one) => one.check === name)).filter(
    (one) => one.found + one.samples > 0,
  );
  const fine = results.filter((one) => one.found + one.samples === 0 && one.looked > 0);
  const sections = failing.flatMap((result) => {
    const title = TITLES[result.check];
    const findings = soFar.details?.find((detail) => detail.check === result.check)?.findings ?? [];
    const rest = result.found + result.samples - findings.length;
    return [
      `### ${title.heading} (${foundWords(result)})`,
      '',
      title.advice,
      '',
      ...findings.map(findingLine),
      ...(rest === 0 ? [] : [notListed(rest, findings.length)]),
      '',
    ];
  });
  const passed = fine
    .map((one) => counted(one.looked, TITLES[one.check].one, TITLES[one.check].many))
    .join(', ');
  return [
    '## What is wrong',
    '',
    ...(failing.length === 0 ? ['Nothing that these checks can see.', ''] : sections),
    ...(passed === '' ? [] : [`Fine: ${passed}.`, '']),
  ];
}

function notListed(rest: number, listed: number): string {
  return listed === 0
    ? `- ${count(rest)} not looked at closely`
    : `- … and ${count(rest)} more, in the answer of the step that looked closer`;
}

function work(facts: HistoryFacts): string[] {
  const rows = facts.hot.map(
    (file) =>
      `| ${codeCell(file.name)} | ${count(file.changes)} | ${count(file.lines)} | ${count(file.authors)} |`,
  );
  return [
    '## Where the work happens',
    '',
    `${counted(facts.commits, 'commit')} ${spanWords(facts)}.`,
    '',
    ...(rows.length === 0
      ? ['No file changed more than once in that time.', '']
      : [
          '| Hot spot (changes × lines) | Changes | Lines | Authors |',
          '|---|---:|---:|---:|',
          ...rows,
          '',
        ]),
    ...(facts.directories.length > 1
      ? [
          `Commits by directory: ${facts.directories.map(({ name, changes }) => `${code(name)} ${count(changes)}`).join(', ')}.`,
          '',
        ]
      : []),
  ];
}

function contents(facts: SurveyFacts): string[] {
  const rows = facts.languages.map(
    ({ name, files, lines }) => `| ${name} | ${count(files)} | ${count(lines)} |`,
  );
  return [
    '## What is in it',
    '',
    `${counted(facts.files, 'tracked file')}, ${counted(facts.lines, 'line')} of text, ${size(facts.bytes)}. Working tree: ${workingTree(facts)}.`,
    '',
    ...(rows.length === 0 ? [] : ['| Language | Files | Lines |', '|---|---:|---:|', ...rows, '']),
    ...(facts.largest.length === 0
      ? []
      : [
          `Largest: ${facts.largest.map(({ name, bytes }) => `${code(name)} ${size(bytes)}`).join(', ')}.`,
          '',
        ]),
  ];
}

function leftOut(soFar: SoFar): string[] {
  const notes = [
    ...(soFar.survey?.leftOut ?? []).map((note) => `Survey: ${note}`),
    ...(soFar.history?.leftOut ?? []).map((note) => `History: ${note}`),
    ...(soFar.checks ?? []).flatMap((one) =>
      one.leftOut.map((note) => `${TITLES[one.check].heading}: ${note}`),
    ),
  ];
  return notes.length === 0
    ? []
    : ['## What was left out', '', ...notes.map((note) => `- ${note}`), ''];
}
