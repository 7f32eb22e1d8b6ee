import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createFleet, type Fleet, type FleetNode } from '../gateway/fleet.js';
import { createBrowser, SCREENSHOTS, type TestBrowser } from '../support/browser.js';
import { configure } from '../support/nested.js';
import { start, untilStatus } from '../support/threads.js';
import { chain, writeWorkflow } from '../support/workflows.js';
import { BROWSER_TEST_MAX_MS, threadPath, untilGone, untilShown, untilThreadIs } from './pages.js';
import { slowScript } from './slow-workflows.js';

const NARROW = { width: 390, height: 844 };

describe('a thread that is queued', { timeout: BROWSER_TEST_MAX_MS }, () => {
  let fleet: Fleet;
  let node: FleetNode;
  let browser: TestBrowser;
  let running: string;
  /** The first to come next. */
  let waiting: string[];

  beforeAll(async () => {
    [fleet, browser] = await Promise.all([createFleet(), createBrowser()]);
    node = await fleet.add({ name: 'build-1' });
    const { machine } = node;
    configure(machine, { concurrency: { node: 1 } });
    const file = writeWorkflow(machine.cwd, 'slow', chain('slow', 2, slowScript));
    await machine.json(['workflow', 'add', file]);
    running = await start(machine, 'slow', '--prompt', 'Be first.');
    await untilStatus(machine, running, 'running');
    waiting = [];
    for (const prompt of ['Be second.', 'Be third.', 'Be fourth.'])
      waiting.push(await start(machine, 'slow', '--prompt', prompt));
  }, BROWSER_TEST_MAX_MS);
  afterEach((test) => browser.closePages(test));
  afterAll(async () => {
    await browser.close();
    for (const id of [...waiting, running]) await node.machine.uwf(['thread', 'kill', id]);
    await fleet.end();
  }, BROWSER_TEST_MAX_MS);

  const open = (path: string, more: object = {}) =>
    browser.open({ url: fleet.gateway.url, token: fleet.gateway.key, path, ...more });

  it('says why and its place, as new as the queue', async () => {
    const path = threadPath('build-1', waiting[2]!);
    const page = await open(path);
    await untilThreadIs(page, 'queued');
    await untilShown(
      page.getByText('Queued: 3rd of 3 in line for a slot; build-1 runs 1 at once.'),
    );
    await untilGone(page.getByText(/^Loading \S/));
    await page.screenshot({ path: join(SCREENSHOTS, 'thread-queued-light.png') });
    const narrow = await open(path, { ...NARROW, theme: 'dark' });
    await untilShown(narrow.getByText(/^Queued: 3rd of 3/));
    await narrow.screenshot({ path: join(SCREENSHOTS, 'thread-queued-narrow-dark.png') });

    await node.machine.uwf(['thread', 'kill', waiting[0]!]);
    await untilShown(
      page.getByText('Queued: 2nd of 2 in line for a slot; build-1 runs 1 at once.'),
    );
    await node.machine.uwf(['thread', 'kill', running]);
    await untilShown(
      page.getByText('Queued: 1st of 1 in line for a slot; build-1 runs 1 at once.'),
    );
    await node.machine.uwf(['thread', 'kill', waiting[1]!]);
    await untilThreadIs(page, 'running');
    await untilGone(page.getByText(/^Queued:/));
  });

  it('says so in a list to who points at it', async () => {
    const id = await start(node.machine, 'slow', '--prompt', 'Be patient.');
    waiting.push(id);
    const page = await open('/threads?status=queued');
    const row = page.getByRole('link').filter({ hasText: 'Be patient.' });
    await untilShown(row);
    expect(await row.locator('[title^="Queued:"]').count()).toBe(0);
    await row.hover();
    await untilShown(
      row.locator('[title="Queued: 1st of 1 in line for a slot; build-1 runs 1 at once."]'),
    );
  });
});
