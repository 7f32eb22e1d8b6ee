// `npm test [-- arguments of vitest]`: installs, builds and runs the tests; ends with a line `N passed, N failed`.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureBuilt } from './build.mjs';
import { ensureChromium } from './chromium.mjs';
import { ensureInstalled } from './install.mjs';
import { runNode } from './run.mjs';

/** Several times what a slow machine needs. A test that never gives way is not ended by its own time limit. */
const SUITE_MAX_MINUTES = 40;
const BROWSER_TESTS = 'tests/browser';

const selection = process.argv.slice(2);
await ensureInstalled();
await ensureBuilt();
const browserIsMissing = canSelectBrowserTests(selection) && !(await findBrowser());

const folder = mkdtempSync(join(tmpdir(), 'uwf-test-'));
const report = join(folder, 'report.json');
const arguments_ = ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
const result = await runNode(
  'node_modules/vitest/vitest.mjs',
  [
    ...arguments_,
    ...selection,
    // Each would fail for the one reason that was told.
    ...(browserIsMissing ? ['--exclude', `${BROWSER_TESTS}/**`] : []),
  ],
  { limitMs: SUITE_MAX_MINUTES * 60_000 },
);
if (result.timedOut) {
  console.log(
    `The tests were ended after ${SUITE_MAX_MINUTES} minutes: a file that is not named above never came to its end.`,
  );
}
const { ran, passed, skipped, ...others } = count(report, result.ok || browserIsMissing);
const failed = others.failed + (browserIsMissing ? 1 : 0);
rmSync(folder, { recursive: true });

if (ran === 0 && !result.timedOut && !browserIsMissing) console.log('No test ran.');
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;

/** Without an argument that is part of a path, all tests are selected. */
function canSelectBrowserTests(given) {
  const paths = given.filter((argument) => !argument.startsWith('-'));
  const isPart = (path) => path.includes(BROWSER_TESTS) || BROWSER_TESTS.includes(path);
  return paths.length === 0 || paths.some(isPart);
}

/** Tells the tests where Chromium is; false when there is none, which is a failure and has been told. */
async function findBrowser() {
  try {
    process.env.UWF_TEST_CHROMIUM = await ensureChromium();
    return true;
  } catch (error) {
    console.error(`FAILED ${BROWSER_TESTS}: ${error.message}`);
    return false;
  }
}

/** A test file that cannot be loaded has no tests; it counts as one that failed. So does a run that broke otherwise. */
function count(file, ok) {
  const results = readReport(file);
  if (results === null) return { ran: 0, passed: 0, failed: ok ? 0 : 1, skipped: 0 };
  const broken = results.testResults.filter(
    (suite) =>
      suite.status === 'failed' && !suite.assertionResults.some((test) => test.status === 'failed'),
  ).length;
  const failed = results.numFailedTests + broken;
  const skipped = results.numPendingTests + results.numTodoTests;
  return {
    ran: results.numPassedTests + failed,
    passed: results.numPassedTests,
    failed: ok ? failed : Math.max(failed, 1),
    skipped,
  };
}

function readReport(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    // vitest writes none when it found no test file or could not start; it has said why
    if (error.code === 'ENOENT') return null;
    throw error;
  }
}
