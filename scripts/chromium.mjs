import { existsSync } from 'node:fs';
import { findOnPath, isExecutable } from './executable.mjs';
import { lastLines, run, runNode } from './run.mjs';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const MAC = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];
const INSTALL_MAX_MINUTES = 10;

/**
 * A Chromium for the tests of the page: UWF_TEST_CHROMIUM, one of this system, Playwright's own, or, on Debian as root, the
 * system's package, installed.
 *
 * @returns {Promise<string>} path of the program. Throws an error that says what to do.
 */
export async function ensureChromium() {
  const found = process.env.UWF_TEST_CHROMIUM ?? onSystem() ?? (await playwrights());
  if (found !== null && found !== undefined) return found;
  console.log('The tests of the page need Chromium; installing it. This takes a minute or two.');
  const tried = [];
  for (const way of [downloadPlaywrights, installPackage]) {
    const said = await way();
    const chromium = onSystem() ?? (await playwrights());
    if (chromium !== null) return chromium;
    if (said !== null) tried.push(said);
  }
  throw new Error(
    `there is no Chromium for the tests of the page, and none could be installed:\n${tried.join('\n')}\nInstall chromium or Google Chrome, or set UWF_TEST_CHROMIUM to its path.`,
  );
}

function onSystem() {
  const ofMac = process.platform === 'darwin' ? MAC.find(isExecutable) : undefined;
  return findOnPath(NAMES) ?? ofMac ?? null;
}

/** Where Playwright keeps the browser it has downloaded; null: it has none. */
async function playwrights() {
  const { chromium } = await import('playwright-core');
  const path = chromium.executablePath();
  return path !== '' && existsSync(path) ? path : null;
}

async function downloadPlaywrights() {
  const { ok, output } = await runNode(
    'node_modules/playwright-core/cli.js',
    ['install', 'chromium'],
    { output: 'keep', limitMs: INSTALL_MAX_MINUTES * 60_000 },
  );
  return ok ? null : `Playwright's download failed: ${lastLines(output, 2)}`;
}

async function installPackage() {
  if (!existsSync('/etc/debian_version') || process.getuid?.() !== 0) return null;
  const options = { output: 'keep', limitMs: INSTALL_MAX_MINUTES * 60_000 };
  await run('apt-get', ['update', '-qq'], options);
  const { ok, output } = await run(
    'apt-get',
    ['install', '-y', '-qq', '--no-install-recommends', 'chromium'],
    options,
  );
  return ok ? null : `apt-get install chromium failed: ${lastLines(output, 2)}`;
}
