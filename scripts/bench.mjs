// `npm run bench [-- ID …]`: measures every bench in bench/*.bench.ts beside its baseline (bench/measure.ts says how),
// prints a table and writes bench/results.json.
import { fork } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, release, tmpdir, totalmem, type } from 'node:os';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ensureBuilt } from './build.mjs';
import { ensureInstalled } from './install.mjs';
import { repository } from './paths.mjs';

const ROUNDS_DEFAULT = 5;
const BUNDLES = join(repository, 'bench', 'dist', 'bundles');
const RESULTS = join(repository, 'bench', 'results.json');

await ensureInstalled();
await ensureBuilt();
const wanted = process.argv.slice(2).map((id) => id.toUpperCase());
const found = (await loadBenches()).filter(
  ({ bench }) => wanted.length === 0 || wanted.includes(bench.id.toUpperCase()),
);
if (found.length === 0) {
  console.error(
    `error: no bench${wanted.length > 0 ? ` is called ${wanted.join(' or ')}` : ''} in bench/*.bench.ts`,
  );
  process.exit(1);
}
const rows = [];
for (const { bundle, bench } of found) {
  console.log(`${bench.id}  ${bench.what}`);
  try {
    rows.push(await measure(bundle, bench));
  } catch (error) {
    // The others are worth measuring all the same; the exit code tells.
    console.error(`error: ${bench.id} could not be measured: ${error.message}`);
    process.exitCode = 1;
  }
}
if (rows.length > 0) report(rows);

async function loadBenches() {
  const { build } = await import('esbuild');
  const folder = join(repository, 'bench');
  const sources = readdirSync(folder).filter((name) => name.endsWith('.bench.ts'));
  const programs = readdirSync(folder).filter((name) => name.endsWith('.program.ts'));
  rmSync(BUNDLES, { recursive: true, force: true });
  await build({
    entryPoints: [...sources, ...programs].map((name) => join(folder, name)),
    outdir: BUNDLES,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    conditions: ['source'],
    packages: 'external',
    outExtension: { '.js': '.mjs' },
    logLevel: 'error',
  });
  const loaded = sources.map(async (name) => {
    const bundle = join(BUNDLES, basename(name).replace(/\.ts$/, '.mjs'));
    const { benches } = await import(pathToFileURL(bundle).href);
    return benches.map((bench) => ({ bundle, bench }));
  });
  const benches = (await Promise.all(loaded)).flat();
  return benches.sort((a, b) => a.bench.id.localeCompare(b.bench.id, 'en', { numeric: true }));
}

async function measure(bundle, bench) {
  const folder = mkdtempSync(join(tmpdir(), `uwf-bench-${bench.id.toLowerCase()}-`));
  try {
    if (bench.prepare !== undefined) await inFreshProcess(bundle, bench, 'prepare', folder);
    const variants = ['baseline', 'subject', ...Object.keys(bench.beside ?? {})];
    const rounds = new Map(variants.map((variant) => [variant, []]));
    for (let round = 0; round < Math.max(bench.rounds ?? ROUNDS_DEFAULT, ROUNDS_DEFAULT); round++) {
      for (const variant of round % 2 === 0 ? variants : [...variants].reverse()) {
        rounds.get(variant).push(await inFreshProcess(bundle, bench, variant, folder));
      }
    }
    return rowOf(bench, rounds);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function inFreshProcess(bundle, { id, nodeOptions = [] }, variant, folder) {
  return new Promise((resolve, reject) => {
    const child = fork(
      join(repository, 'scripts', 'bench-variant.mjs'),
      [bundle, id, variant, folder],
      { execArgv: [...nodeOptions] },
    );
    let measured = null;
    child.on('message', (message) => {
      measured = message;
    });
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      if (measured !== null && code === 0) resolve(measured);
      else
        reject(
          new Error(
            `${id} ${variant} ended with ${code ?? signal} and ${measured === null ? 'no' : 'a'} result`,
          ),
        );
    });
  });
}

function rowOf(bench, rounds) {
  const figure = (variant) => {
    const measured = rounds.get(variant);
    const notes = measured.map(({ note }) => note).filter((note) => note !== undefined);
    return {
      value: median(measured.map(({ samples }) => median(samples))),
      p95: percentile(
        measured.flatMap(({ samples }) => samples),
        bench.unit.endsWith('/s') ? 0.05 : 0.95,
      ),
      ...(notes.length > 0 ? { note: notes.at(-1) } : {}),
    };
  };
  const subject = figure('subject');
  const baseline = figure('baseline');
  const ratio = subject.value / baseline.value;
  return {
    id: bench.id,
    what: bench.what,
    unit: bench.unit,
    value: subject.value,
    p95: subject.p95,
    baseline: baseline.value,
    baselineP95: baseline.p95,
    baselineWhat: bench.baseline.what,
    ratio,
    target: bench.target,
    met: isMet(ratio, bench.target),
    rounds: rounds.get('subject').length,
    ...(subject.note === undefined ? {} : { note: subject.note }),
    beside: Object.fromEntries(Object.keys(bench.beside ?? {}).map((name) => [name, figure(name)])),
    notMeasured: bench.notMeasured,
  };
}

function isMet(ratio, target) {
  if (target === null) return null;
  return 'atMost' in target ? ratio <= target.atMost : ratio >= target.atLeast;
}

function report(measured) {
  const machine = {
    cpu: `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}`,
    memoryGiB: Math.round(totalmem() / 1024 ** 3),
    system: `${type()} ${release()}`,
    node: process.version,
  };
  console.log(
    `\n${machine.cpu}, ${machine.memoryGiB} GiB, ${machine.system}, Node ${machine.node}`,
  );
  console.log('Medians of rounds in fresh processes; p95 is the slow end of all samples.\n');
  const lines = [
    ['', 'ratio', 'target', '', 'value', 'p95', 'baseline', 'unit', 'what', 'baseline is'],
    ...measured.map((row) => [
      row.id,
      `${row.ratio.toFixed(2)} ×`,
      targetText(row.target),
      row.met === null ? '' : row.met ? 'met' : 'MISSED',
      number(row.value),
      number(row.p95),
      number(row.baseline),
      row.unit,
      row.what,
      row.baselineWhat,
    ]),
  ];
  const widths = lines[0].map((_, column) => Math.max(...lines.map((line) => line[column].length)));
  for (const line of lines)
    console.log(
      line
        .map((cell, column) => cell.padEnd(widths[column]))
        .join('  ')
        .trimEnd(),
    );
  for (const row of measured) {
    if (row.note !== undefined) console.log(`${row.id}: ${row.note}`);
    for (const [name, figure] of Object.entries(row.beside)) {
      console.log(
        `${row.id} beside: ${name} ${number(figure.value)} ${row.unit} (p95 ${number(figure.p95)})`,
      );
    }
    console.log(`${row.id} not measured: ${row.notMeasured}`);
  }
  writeFileSync(
    RESULTS,
    `${JSON.stringify({ at: new Date().toISOString(), machine, rows: measured }, null, 2)}\n`,
  );
  console.log(`\nWritten to ${RESULTS}`);
}

function targetText(target) {
  if (target === null) return '';
  return 'atMost' in target ? `≤ ${target.atMost} ×` : `≥ ${target.atLeast} ×`;
}

function number(value) {
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(3);
}

function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

function percentile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
}
