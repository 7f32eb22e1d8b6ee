import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createFleet, type Fleet, type FleetNode } from '../gateway/fleet.js';
import { createBrowser, type TestBrowser } from '../support/browser.js';
import { show, start, untilStatus } from '../support/threads.js';
import { until } from '../support/until.js';
import { chain, oneScript } from '../support/workflows.js';
import { BROWSER_TEST_MAX_MS, stepsShown, threadPath, untilShown, untilThreadIs } from './pages.js';

const STEPS = 300;
const LINES = 300_000;
/** What a page of this size is given to be there, ms: far more than it takes, far less than one that draws everything. */
const OPEN_MAX_MS = 15_000;
/** A card that an address points at does not stick to the edge of the window. */
const ABOVE_MIN_PX = 8;

describe('a page with very much on it', { timeout: BROWSER_TEST_MAX_MS }, () => {
  let fleet: Fleet;
  let node: FleetNode;
  let browser: TestBrowser;
  /** Thread of so many steps, which takes a while. */
  let long: string;

  beforeAll(async () => {
    [fleet, browser] = await Promise.all([createFleet(), createBrowser()]);
    node = await fleet.add({
      name: 'alpha',
      workflows: {
        long: chain('long', STEPS, (n) => `echo "this is step ${n}"`),
        lines: oneScript('lines', `seq -f 'line %.0f of many' ${LINES}`),
      },
    });
    long = await start(node.machine, 'long', '--max-steps', String(STEPS));
  }, BROWSER_TEST_MAX_MS);
  afterEach((test) => browser.closePages(test));
  afterAll(async () => {
    await browser.close();
    await fleet.end();
  }, BROWSER_TEST_MAX_MS);

  const open = (path: string) =>
    browser.open({ url: fleet.gateway.url, token: fleet.gateway.key, path });

  it(`opens a step of ${LINES} lines at its end, and all of it when asked to`, async () => {
    const id = await start(node.machine, 'lines');
    await untilStatus(node.machine, id, 'completed');
    const page = await open(threadPath('alpha', id));
    const last = page.getByText(`line ${LINES} of many`, { exact: true });
    await last.waitFor({ timeout: OPEN_MAX_MS });
    await page.getByRole('button', { name: 'Load all' }).click();
    const text = page.getByRole('region', { name: /^Text of 300,00\d lines$/ });
    await text.waitFor({ timeout: OPEN_MAX_MS });
    await text.focus();
    await page.keyboard.press('Home');
    await page.getByText('line 1 of many', { exact: true }).waitFor({ timeout: OPEN_MAX_MS });
    await page.keyboard.press('End');
    await last.waitFor({ timeout: OPEN_MAX_MS });
    expect(await text.locator('pre').count()).toBeLessThan(300);
  });

  it(`opens a thread of ${STEPS} steps, anywhere in it, and draws only what is seen`, async () => {
    await until(
      'the thread is over',
      async () => (await show(node.machine, long)).status === 'completed',
      BROWSER_TEST_MAX_MS,
    );
    const page = await open(threadPath('alpha', long));
    await untilThreadIs(page, 'completed');
    await page.getByRole('article', { name: /^1 s1/ }).waitFor({ timeout: OPEN_MAX_MS });
    expect((await stepsShown(page)).length).toBeLessThan(100);
    // Steps come in pages of a hundred; the end is further down with each.
    await until(
      'the last step is shown',
      async () => {
        await page.keyboard.press('End');
        return page.getByText(`this is step ${STEPS}`).first().isVisible();
      },
      OPEN_MAX_MS,
    );

    const middle = await open(`${threadPath('alpha', long)}?step=150`);
    await untilShown(middle.getByText('this is step 150'));
    await expect
      .poll(() => middle.evaluate<boolean>(inView('step-150-1')), { timeout: OPEN_MAX_MS })
      .toBe(true);
  });
});

const inView = (id: string) => `(() => {
  const { bottom } = document.getElementById('${id}').getBoundingClientRect();
  const { top } = document.getElementById('${id}').closest('article').getBoundingClientRect();
  return top >= ${ABOVE_MIN_PX} && bottom <= innerHeight;
})()`;
