import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createFleet, type Fleet, type FleetNode } from '../gateway/fleet.js';
import { createBrowser, type TestBrowser } from '../support/browser.js';
import { start, untilOwned, untilStatus } from '../support/threads.js';
import { until } from '../support/until.js';
import {
  BROWSER_TEST_MAX_MS,
  isMarked,
  markPage,
  PAGE_WAIT_MS,
  threadPath,
  untilGone,
  untilLive,
  untilShown,
  untilSteps,
  untilThreadIs,
  untilTitled,
} from './pages.js';
import { type GatedWorkflow, gatedChain } from './slow-workflows.js';

const STEPS = 5;
const DONE = Array.from({ length: STEPS }, (_, index) => `${index + 1} s${index + 1} done`);

/** Parts of the page that are still to be fetched. */
const UNFETCHED = `(() => {
  const fetched = performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname);
  const parts = document.querySelector('meta[name="parts"]').content.split(' ');
  return parts.filter((part) => !fetched.includes(part));
})()`;

describe('a page while something is killed with SIGKILL', { timeout: BROWSER_TEST_MAX_MS }, () => {
  let fleet: Fleet;
  let node: FleetNode;
  let browser: TestBrowser;

  beforeAll(async () => {
    [fleet, browser] = await Promise.all([createFleet(), createBrowser()]);
    node = await fleet.add({ name: 'alpha' });
  }, BROWSER_TEST_MAX_MS);
  beforeEach(async () => {
    if (node.service().exitCode() !== null) await node.start();
    if (fleet.gateway.service().exitCode() !== null) await fleet.gateway.restart();
  });
  afterEach((test) => browser.closePages(test));
  afterAll(async () => {
    await browser.close();
    await fleet.end();
  }, BROWSER_TEST_MAX_MS);

  /** A thread whose first step is done and whose second is in flight, watched. */
  async function watch(name: string): Promise<{ page: Page; id: string; gated: GatedWorkflow }> {
    const gated = gatedChain(node.machine.cwd, name, STEPS);
    const file = join(node.machine.cwd, `${name}.yaml`);
    writeFileSync(file, gated.yaml);
    await node.machine.json(['workflow', 'add', file]);
    const id = await start(node.machine, name, '--prompt', `watched while it is cut: ${name}`);
    const page = await browser.open({
      url: fleet.gateway.url,
      token: fleet.gateway.key,
      path: threadPath('alpha', id),
      height: 2_400,
    });
    await untilLive(page);
    gated.letGo(1);
    await untilSteps(page, ['1 s1 done', '2 s2 running']);
    await untilShown(page.locator('.prose-calm').getByText('step 1 ends'));
    // Every part of the page is there: one that is still on its way when the gateway goes makes the page load itself anew.
    await untilShown(page.locator('.react-flow__node'));
    await markPage(page);
    return { page, id, gated };
  }

  /** The node goes on while nobody sees it. */
  async function untilUnseen(id: string, steps: number): Promise<void> {
    await until(`${steps} steps are done`, async () => {
      const { steps: all } = await node.machine.json<{ steps: { status: string }[] }>([
        'thread',
        'show',
        id,
      ]);
      return all.filter(({ status }) => status === 'committed').length === steps;
    });
  }

  it('says that the gateway is gone, and shows every step when it is back', async () => {
    const { page, id, gated } = await watch('gateway-dies');
    await fleet.gateway.service().kill();
    await untilShown(page.getByText(/^The connection is down; this is how things were/));
    await untilSteps(page, ['1 s1 done', '2 s2 running']);
    for (const step of [2, 3]) gated.letGo(step);
    await untilUnseen(id, 3);
    await fleet.gateway.restart();
    await untilLive(page);
    await untilGone(page.getByText(/^The connection is down/));
    await untilSteps(page, [...DONE.slice(0, 3), '4 s4 running']);
    await untilShown(page.getByText('step 4 begins'));
    for (const step of [4, 5]) gated.letGo(step);
    await untilThreadIs(page, 'completed');
    await untilSteps(page, DONE);
    expect(await isMarked(page)).toBe(true);
  });

  it('has all of its parts as soon as it is live: whoever needs one while the gateway is away has it', async () => {
    const page = await browser.open({ url: fleet.gateway.url, token: fleet.gateway.key });
    await untilLive(page);
    await expect
      .poll(() => page.evaluate<string[]>(UNFETCHED), { timeout: PAGE_WAIT_MS })
      .toEqual([]);
    await fleet.gateway.service().kill();
    await page.getByRole('navigation').getByRole('link', { name: 'Nodes' }).click();
    await untilTitled(page, 'Nodes');
    await untilShown(page.getByRole('main').getByRole('link', { name: /^alpha/ }));
    await page.getByRole('banner').getByRole('button', { name: 'Start' }).click();
    await untilShown(page.getByRole('dialog').getByLabel('Prompt'));
  });

  it('loads itself anew where a part of it cannot be had, but not while somebody types', async () => {
    const page = await browser.open({
      url: fleet.gateway.url,
      token: fleet.gateway.key,
      path: '/login',
    });
    await page.route('**/assets/nodes-page-*.js', (route) => route.abort());
    await page.goto('/');
    await untilLive(page);
    await markPage(page);
    await page.getByRole('banner').getByRole('button', { name: 'Start' }).click();
    const prompt = page.getByRole('dialog').getByLabel('Prompt');
    await prompt.fill('Half a thou');
    const served = () => page.waitForResponse((response) => response.request().method() === 'HEAD');
    const first = served();
    // As by a shortcut: the dialog covers the menu.
    await page.evaluate(`document.querySelector('nav a[href="/nodes"]').click()`);
    await first;
    await served();
    expect(await isMarked(page)).toBe(true);
    expect(await prompt.inputValue()).toBe('Half a thou');
    await page.unroute('**/assets/nodes-page-*.js');
    await page.getByRole('dialog').getByRole('button', { name: 'Clear' }).click();
    await expect.poll(() => isMarked(page), { timeout: PAGE_WAIT_MS }).toBe(false);
    await untilTitled(page, 'Nodes');
  });

  it('loses nothing that was typed for a start, and starts it once the gateway is back', async () => {
    const page = await browser.open({ url: fleet.gateway.url, token: fleet.gateway.key });
    await untilLive(page);
    await page.getByRole('banner').getByRole('button', { name: 'Start' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Workflow').selectOption('demo');
    await dialog.getByLabel('Prompt').fill('typed before it went away');
    await dialog.locator('summary').click();
    await dialog.getByLabel('Steps at most').fill('17');
    await fleet.gateway.service().kill();
    await untilShown(page.getByText(/^The connection is down/));
    await dialog.getByRole('button', { name: 'Start', exact: true }).click();
    await untilShown(dialog.getByRole('alert'));
    await fleet.gateway.restart();
    await fleet.gateway.untilNode('alpha');
    // The dialog hides what is behind it from `untilLive`.
    await untilGone(page.getByText(/^The connection is down/));
    const expectTyped = async () => {
      expect(await dialog.getByLabel('Prompt').inputValue()).toBe('typed before it went away');
      expect(await dialog.getByLabel('Workflow').inputValue()).toBe('demo');
      expect(await dialog.getByLabel('Steps at most').inputValue()).toBe('17');
    };
    await expectTyped();
    // Also what a person closes or loads anew by mistake.
    await page.reload();
    await page.getByRole('banner').getByRole('button', { name: 'Start' }).click();
    await untilShown(dialog.getByText(/^The demo|Roles: survey/));
    await dialog.locator('summary').click();
    await expectTyped();
    await dialog.getByRole('button', { name: 'Start', exact: true }).click();
    await untilThreadIs(page, 'completed');
    await page.getByRole('banner').getByRole('button', { name: 'Start' }).click();
    expect(await dialog.getByLabel('Prompt').inputValue()).toBe('');
  });

  it('says that the node is gone, keeps what was seen, and shows every step when it is back', async () => {
    const { page, id, gated } = await watch('node-dies');
    await node.service().kill();
    await untilShown(page.getByText(/^alpha is not connected now/));
    await untilSteps(page, ['1 s1 done', '2 s2 running']);
    await untilLive(page);
    const pause = page.getByRole('button', { name: 'Pause' });
    expect(await pause.getAttribute('aria-disabled')).toBe('true');
    expect(await pause.getAttribute('title')).toBe('alpha is not connected now.');
    for (const step of [2, 3]) gated.letGo(step);
    await untilUnseen(id, 3);
    await node.start();
    await untilGone(page.getByText(/^alpha is not connected now/));
    await untilSteps(page, [...DONE.slice(0, 3), '4 s4 running']);
    for (const step of [4, 5]) gated.letGo(step);
    await untilThreadIs(page, 'completed');
    await untilSteps(page, DONE);
    expect(await isMarked(page)).toBe(true);
  });

  it('shows what is known of a node and its threads while it is gone, to who comes only then', async () => {
    const { id, gated } = await watch('late-comer');
    await until('the gateway has seen the thread', async () => {
      const { threads } = await fleet.gateway.json<{ threads: { threadId: string }[] }>(
        'GET',
        '/api/nodes/alpha',
      );
      return threads.some(({ threadId }) => threadId === id);
    });
    await node.service().kill();
    await fleet.gateway.untilNode('alpha', 'offline');
    const late = await browser.open({
      url: fleet.gateway.url,
      token: fleet.gateway.key,
      path: threadPath('alpha', id),
    });
    await untilShown(late.getByText(/^Its steps are on alpha/));
    await untilShown(late.getByText('watched while it is cut: late-comer'));
    await node.start();
    await untilSteps(late, ['1 s1 done', '2 s2 running']);
    for (const step of [2, 3, 4, 5]) gated.letGo(step);
    await untilThreadIs(late, 'completed');
  });

  it('says plainly that nothing is known of a thread it never saw, and shows it when its node is back', async () => {
    await node.service().kill();
    await fleet.gateway.untilNode('alpha', 'offline');
    const gated = gatedChain(node.machine.cwd, 'unseen', 1);
    const file = join(node.machine.cwd, 'unseen.yaml');
    writeFileSync(file, gated.yaml);
    await node.machine.json(['workflow', 'add', file]);
    const id = await start(node.machine, 'unseen', '--prompt', 'nobody saw me');
    const page = await browser.open({
      url: fleet.gateway.url,
      token: fleet.gateway.key,
      path: threadPath('alpha', id),
    });
    await untilShown(
      page.getByText(/^alpha is not connected, and nothing of this thread was seen/),
    );
    await untilShown(page.getByText('It is newer than that look.'));
    await node.start();
    await untilSteps(page, ['1 s1 running']);
    gated.letGo(1);
    await untilThreadIs(page, 'completed');
  });

  it('shows that the worker died in the middle of a step, and the thread going on by itself', async () => {
    const { page, id, gated } = await watch('worker-dies');
    process.kill(await untilOwned(node.machine, id), 'SIGKILL');
    // The attempt that was cut off stays to be seen, and the step is done once more.
    await untilShown(page.getByRole('article', { name: /^2 s2 attempt 2/ }));
    for (const step of [2, 3, 4, 5]) gated.letGo(step);
    await untilThreadIs(page, 'completed');
    const { steps } = await untilStatus(node.machine, id, 'completed');
    expect(steps.map(({ seq, attempt, status }) => `${seq}.${attempt} ${status}`)).toContain(
      '2.2 committed',
    );
    await untilSteps(page, [
      '1 s1 done',
      '2 s2 interrupted',
      '2 s2 attempt 2 done',
      ...DONE.slice(2),
    ]);
    expect(await isMarked(page)).toBe(true);
  });
});
