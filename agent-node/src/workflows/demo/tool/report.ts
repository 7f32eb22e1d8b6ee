import type { Answer } from './answer.js';
import { CHECK_NAMES, TITLES } from './checks/index.js';
import { foundWords } from './checks.js';
import { hotWords, spanWords } from './history.js';
import type { DetailsMeta, HistoryMeta, OverviewMeta, SurveyMeta } from './metas.js';
import { code, codeCell, count, counted, size } from './printable.js';
import { latestMeta, metasOf, type Step } from './steps.js';
import { type Failing, failingChecks } from './triage.js';

/** All that the report is made of; what a step could not find out is undefined. */
type Facts = {
  survey: SurveyMeta | undefined;
  history: HistoryMeta | undefined;
  overview: OverviewMeta | undefined;
  failing: Failing[];
  details: (DetailsMeta & { hash: string })[];
  /** What kept a step from finishing. */
  trouble: string[];
};

/** Last role: the report. Reads nothing but what the steps before have found. */
export function report(steps: readonly Step[]): Answer {
  const last = steps.at(-1);
  if (last === undefined) throw new Error('UWF_STEPS_FILE holds no step: nothing to report on');
  const advice = ADVICE[last.meta.$status];
  if (advice !== undefined) return stopped(advice, String(last.meta.why));
  const facts: Facts = {
    survey: latestMeta(steps, 'surveyed'),
    history: latestMeta(steps, 'read'),
    overview: latestMeta(steps, 'findings') ?? latestMeta(steps, 'ok'),
    failing: failingChecks(steps),
    details: steps.flatMap((step) =>
      metasOf([step], 'detailed').map((meta) => ({ ...meta, hash: step.hash })),
    ),
    trouble: steps.flatMap((step) =>
      metasOf([step], 'failed').map(({ why }) => why ?? silent(step)),
    ),
  };
  const { survey, history, overview, trouble } = facts;
  const headline = headlineOf(facts);
  return {
    body: [
      `# ${headline}`,
      '',
      ...trouble.map((what) => `> **Incomplete**: ${what}.`),
      ...(trouble.length > 0 ? [''] : []),
      ...lookFirst(facts),
      ...(overview === undefined ? [] : wrong(facts, overview)),
      ...(history === undefined ? [] : work(history)),
      ...(survey === undefined ? [] : contents(survey)),
      ...leftOut(facts),
    ],
    meta: {
      $status: trouble.length > 0 ? 'incomplete' : 'done',
      headline,
      repository: survey?.repository ?? 'unknown',
      files: survey?.files ?? 0,
      lines: survey?.lines ?? 0,
      commits: history?.commits ?? 0,
      findings: overview?.found ?? 0,
    },
  };
}

function silent({ role, hash }: Step): string {
  return `the step ${role} ended without an answer; ${code(`uwf step show ${hash}`)} tells what it said`;
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

function headlineOf({ survey, overview, trouble }: Facts): string {
  if (survey === undefined) return 'The repository could not be read to the end';
  const main = survey.language === 'none' ? '' : `, mostly ${survey.language}`;
  const what = `${survey.repository}: ${counted(survey.files, 'file')}${main}`;
  if (overview === undefined)
    return `${what}, ${trouble.length > 0 ? 'not checked to the end' : 'not checked'}`;
  const { found } = overview;
  return `${what}, ${found === 0 ? 'nothing wrong found' : counted(found, 'finding')}`;
}

/** At most this many things to begin with. */
const FIRST_THINGS = 5;
const FIRST_HOT = 2;
/** Two changes are a correction, three begin to be a habit. */
const FIRST_HOT_CHANGES = 3;

function lookFirst({ details, failing, history }: Facts): string[] {
  const things: string[] = [];
  for (const { check, found } of failing) {
    const first = details.flatMap(({ examples }) => examples[check] ?? [])[0];
    if (first === undefined || found === 0) continue;
    things.push(`${first}${found > 1 ? ` (and ${count(found - 1)} like it)` : ''}`);
  }
  const wrongFirst = things.slice(0, FIRST_THINGS - FIRST_HOT);
  const hot = (history?.hot ?? [])
    .filter((file) => file.lines > 0 && file.changes >= FIRST_HOT_CHANGES)
    .slice(0, FIRST_THINGS - wrongFirst.length)
    .slice(0, FIRST_HOT)
    .map((file) => `${code(file.name)} ${hotWords(file)}`);
  const all = [...wrongFirst, ...hot];
  if (all.length === 0) return [];
  return ['**Look at first**', '', ...all.map((thing, index) => `${index + 1}. ${thing}`), ''];
}

function wrong({ failing, details }: Facts, { looked }: OverviewMeta): string[] {
  const sections = failing.flatMap((result) => {
    const title = TITLES[result.check];
    const closer = details.find(({ focus }) => focus.includes(result.check));
    const examples = closer?.examples[result.check] ?? [];
    const rest = result.found + result.samples - examples.length;
    return [
      `### ${title.heading} (${foundWords(result)})`,
      '',
      title.advice,
      '',
      ...examples.map((example) => `- ${example}`),
      ...(rest === 0 ? [] : [notListed(rest, closer?.hash)]),
      '',
    ];
  });
  const passed = CHECK_NAMES.filter((name) => failing.every(({ check }) => check !== name))
    .map((name) => ({ title: TITLES[name], files: looked[name] ?? 0 }))
    .filter(({ files }) => files > 0)
    .map(({ title, files }) => counted(files, title.one, title.many))
    .join(', ');
  return [
    '## What is wrong',
    '',
    ...(failing.length === 0 ? ['Nothing that these checks can see.', ''] : sections),
    ...(passed === '' ? [] : [`Fine: ${passed}.`, '']),
  ];
}

/** `hash`: the step that looked closer. */
function notListed(rest: number, hash: string | undefined): string {
  return hash === undefined
    ? `- ${count(rest)} not looked at closely`
    : `- … and ${count(rest)} more: ${code(`uwf step show ${hash}`)}`;
}

function work(facts: HistoryMeta): string[] {
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

function contents(facts: SurveyMeta): string[] {
  const languages = Object.entries(facts.languages)
    .sort((one, other) => other[1] - one[1])
    .map(([name, lines]) => `${name} ${count(lines)}`);
  return [
    '## What is in it',
    '',
    `${counted(facts.files, 'tracked file')}, ${counted(facts.lines, 'line')} of text, ${size(facts.bytes)}. Working tree: ${facts.workingTree}.`,
    '',
    ...(languages.length === 0 ? [] : [`Lines by language: ${languages.join(', ')}.`, '']),
    ...(facts.largest.length === 0
      ? []
      : [
          `Largest: ${facts.largest.map(({ name, bytes }) => `${code(name)} ${size(bytes)}`).join(', ')}.`,
          '',
        ]),
  ];
}

function leftOut({ survey, history, overview }: Facts): string[] {
  const notes = [
    ...(survey?.leftOut ?? []).map((note) => `Survey: ${note}`),
    ...(history?.leftOut ?? []).map((note) => `History: ${note}`),
    ...(overview?.leftOut ?? []),
  ];
  return notes.length === 0
    ? []
    : ['## What was left out', '', ...notes.map((note) => `- ${note}`), ''];
}
