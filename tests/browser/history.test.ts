import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createFleet, type Fleet, type FleetNode } from '../gateway/fleet.js';
import { createBrowser, type TestBrowser } from '../support/browser.js';
import { show, untilStatus } from '../support/threads.js';
import {
  BROWSER_TEST_MAX_MS,
  idOf,
  PAGE_WAIT_MS,
  stepsShown,
  threadPath,
  untilGone,
  untilLive,
  untilShown,
  untilSteps,
  untilThreadIs,
} from './pages.js';
import { addReview, HOSTILE, REVIEW_STEPS } from './reviewed-workflow.js';

describe('the history of a thread', { timeout: BROWSER_TEST_MAX_MS }, () => {
  let fleet: Fleet;
  let alpha: FleetNode;
  let beta: FleetNode;
  let browser: TestBrowser;
  /** A thread of four steps that is over. */
  let original: string;

  beforeAll(async () => {
    [fleet, browser] = await Promise.all([createFleet(), createBrowser()]);
    [alpha, beta] = await Promise.all([
      fleet.add({ name: 'alpha' }),
      fleet.add({ name: 'beta', allow: 'read,control,run,publish' }),
    ]);
    await addReview(alpha);
    original = await startReview('Prices are wrong by a cent.');
    await untilStatus(alpha.machine, original, 'completed');
  }, BROWSER_TEST_MAX_MS);
  afterEach((test) => browser.closePages(test));
  afterAll(async () => {
    await browser.close();
    await fleet.end();
  }, BROWSER_TEST_MAX_MS);

  const open = (path: string, token = fleet.gateway.key) =>
    browser.open({ url: fleet.gateway.url, token, path, height: 2_400 });

  /** In a directory of its own, where others may do something new, too. */
  async function startReview(prompt: string): Promise<string> {
    const { threadId } = await fleet.client.startSomewhere({
      body: { workflow: 'review', node: 'alpha', prompt },
    });
    return threadId;
  }

  /** Keeps so many steps, and ends at the page of the new thread. */
  async function fork(page: Page, keep: number, prompt: string): Promise<string> {
    const before = await idOf(page);
    await page.getByRole('button', { name: 'Fork', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Fork review' });
    await dialog.getByLabel('From').selectOption(String(keep));
    await dialog.getByLabel(/^Prompt/).fill(prompt);
    await dialog.getByRole('button', { name: 'Fork', exact: true }).click();
    await untilGone(dialog);
    await page.waitForURL((url) => !url.pathname.includes(before), { timeout: PAGE_WAIT_MS });
    return idOf(page);
  }

  it('goes on in a fork that keeps the first steps and gives the next role another task', async () => {
    const page = await open(threadPath('alpha', original));
    await untilSteps(page, REVIEW_STEPS);
    const card = page.getByRole('article', { name: /^2 reviewer/ });
    await card.getByRole('button', { name: /^Fork from here/ }).click();
    const dialog = page.getByRole('dialog', { name: 'Fork review' });
    await untilShown(dialog.getByText('Keeps step 1, runs reviewer again.'));
    expect(await dialog.getByLabel('From').inputValue()).toBe('1');
    await dialog.getByLabel('From').selectOption('4');
    await untilShown(dialog.getByText(/^Nothing comes after step 4/));
    expect(await dialog.getByRole('button', { name: /^Fork/ }).getAttribute('aria-disabled')).toBe(
      'true',
    );
    await page.keyboard.press('Escape');
    await untilGone(dialog);

    const forked = await fork(page, 1, 'Read it like an enemy.');
    await untilThreadIs(page, 'completed');
    await untilSteps(page, REVIEW_STEPS);
    await untilShown(page.getByText('after step 1', { exact: false }));
    const thread = await show(alpha.machine, forked);
    expect(thread).toMatchObject({ forkedFrom: original, forkedSeq: 1 });
    await page.getByRole('link', { name: new RegExp(original.slice(-6)) }).click();
    await page.waitForURL(new RegExp(`${original}\\?step=1$`));
    expect((await show(alpha.machine, original)).status).toBe('completed');
  });

  it('is drawn as a tree that grows while it is looked at, and compares two of its threads by address', async () => {
    const page = await open(`${threadPath('alpha', original)}?tab=lineage`);
    await untilLive(page);
    const rows = page.getByRole('tabpanel', { name: 'Lineage' }).getByRole('listitem');
    await untilShown(rows.filter({ hasText: 'this one' }));
    const { threadId } = await fleet.gateway.json<{ threadId: string }>(
      'POST',
      `/api/nodes/alpha/threads/${original}/fork`,
      { body: { fromStep: 2 } },
    );
    const row = rows.filter({ hasText: threadId.slice(-6) });
    await untilShown(row.getByText('fork after step 2'));
    await untilShown(row.getByText('completed'));
    await row.getByRole('button', { name: /^Compare/ }).click();
    await untilShown(page.getByText(/^They share steps 1–2\./));
    expect(new URL(page.url()).search).toBe(`?tab=lineage&with=${threadId}`);
    await page.reload();
    await untilShown(page.getByText(/^They share steps 1–2\./));

    const other = await fleet.gateway.json<{ threadId: string }>(
      'POST',
      `/api/nodes/alpha/threads/${original}/fork`,
      { body: { fromStep: 2, agents: { coder: 'careful' } } },
    );
    await untilStatus(alpha.machine, other.threadId, 'completed');
    await page.goto(`${threadPath('alpha', original)}?tab=lineage&with=${other.threadId}`);
    const third = page.getByRole('region', { name: 'Step 3' });
    await untilShown(third.getByText('another text, another result'));
    await third.getByRole('button').first().click();
    const lines = third.getByRole('region', { name: 'The texts line by line' });
    await untilShown(lines.getByText('A test holds it.'));
    await untilShown(lines.getByText('Two tests hold it: one for a price, one for a sum.'));
    await untilShown(third.getByRole('row', { name: /^lines 31 44$/ }));
    await untilShown(third.getByText('1 field is the same.'));
    await untilShown(third.getByText(/^Without the fields that both begin with/));
    expect(await lines.getByText('lines: 31').count()).toBe(0);
    await page.getByRole('button', { name: 'Close the comparison' }).click();
    await expect.poll(() => new URL(page.url()).search).toBe('?tab=lineage');
  });

  it('has what an agent did within a step, as text and nothing else', async () => {
    const page = await open(`${threadPath('alpha', original)}?tab=trace&step=1`);
    const turn = page.getByRole('region', { name: 'Turn 1' });
    await untilShown(turn.getByText(HOSTILE, { exact: false }));
    expect(await page.evaluate('window.pwned')).toBeUndefined();
    const call = turn.locator('details', { hasText: 'read_file' });
    await call.locator('summary').click();
    await untilShown(call.getByText('line 10 of the file'));
    expect(await call.getByText('line 11 of the file').count()).toBe(0);
    await call.getByRole('button', { name: 'Show all of it' }).click();
    await untilShown(call.getByText('line 60 of the file'));
    await page.getByLabel('Step', { exact: true }).selectOption('2');
    await untilShown(page.getByText('canned does not tell what it did within this step.'));
    expect(new URL(page.url()).search).toBe('?tab=trace&step=2');
  });

  it('lets its agents’ steps be gone through one by one, and chosen by role', async () => {
    const page = await open(`${threadPath('alpha', original)}?tab=trace&step=1`);
    const choice = page.getByLabel('Step', { exact: true });
    await untilShown(choice);
    const groups = choice.locator('optgroup');
    expect(await groups.first().getAttribute('label')).toBe('coder (2 steps)');
    expect(await groups.nth(1).getAttribute('label')).toBe('reviewer (2 steps)');
    expect(await groups.first().locator('option').allTextContents()).toEqual([
      '3 coder, by canned',
      '1 coder, by canned',
    ]);
    const previous = page.getByRole('button', { name: /^Previous step/ });
    const next = page.getByRole('button', { name: /^Next step/ });
    expect(await previous.getAttribute('aria-disabled')).toBe('true');
    for (const step of [2, 3, 4]) {
      await next.click();
      await expect.poll(() => new URL(page.url()).search).toBe(`?tab=trace&step=${step}`);
      expect(await choice.inputValue()).toBe(String(step));
    }
    expect(await next.getAttribute('aria-disabled')).toBe('true');
    await previous.click();
    await expect.poll(() => new URL(page.url()).search).toBe('?tab=trace&step=3');
  });

  it('says before it is asked for why a fork cannot do something new where the thread works', async () => {
    const { threadId } = await alpha.machine.json<{ threadId: string }>([
      ...['run', 'review', '--prompt', 'Here, where only I may.'],
      ...['--workspace', alpha.machine.cwd],
    ]);
    await untilStatus(alpha.machine, threadId, 'completed');
    const page = await open(threadPath('alpha', threadId));
    await page.getByRole('button', { name: 'Fork', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Fork review' });
    const why = dialog.getByText(/^The thread works in .* which is not below/);
    await untilShown(why);
    const button = dialog.getByRole('button', { name: /^Fork/ });
    expect(await button.getAttribute('aria-disabled')).toBeNull();
    await dialog.getByLabel(/^Prompt/).fill('Something new.');
    await expect.poll(() => button.getAttribute('aria-disabled')).toBe('true');
    expect(await button.getAttribute('title')).toMatch(/^The thread works in /);
    await dialog.getByLabel(/^Prompt/).fill('');
    await button.click();
    await untilGone(dialog);
    const forked = await idOf(page);
    expect(await show(alpha.machine, forked)).toMatchObject({ forkedFrom: threadId });
  });

  it('leads from a step to the thread that carried it out, and from there back to the step', async () => {
    const { threadId } = await fleet.client.startSomewhere({
      body: { workflow: 'ship', node: 'alpha', prompt: 'Put the prices right, and ship it.' },
    });
    const { steps } = await untilStatus(alpha.machine, threadId, 'completed');
    const child = steps[1]!.childThread!;
    const page = await open(threadPath('alpha', threadId));
    const card = page.getByRole('article', { name: /^2 change/ });
    await card.getByRole('link', { name: new RegExp(child.slice(-6)) }).click();
    await page.waitForURL(new RegExp(`${child}$`));
    await untilSteps(page, REVIEW_STEPS);
    const origin = page.getByRole('main').locator('dl').first().getByText('Part of').locator('..');
    await untilShown(origin.getByText('as step 2'));
    await origin.getByRole('link').click();
    await page.waitForURL(new RegExp(`${threadId}\\?step=2$`));
    await expect.poll(() => card.getAttribute('class')).toContain('border-accent');
  });

  it('has its steps along their time, by keyboard too', async () => {
    const page = await open(`${threadPath('alpha', original)}?tab=timeline`);
    const rows = page.getByRole('tabpanel', { name: 'Timeline' }).locator('button[data-row]');
    await untilShown(rows.first());
    expect(await rows.count()).toBe(4);
    await rows.first().focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect.poll(() => new URL(page.url()).search).toBe('?tab=timeline&step=3');
    expect(await rows.nth(2).getAttribute('aria-pressed')).toBe('true');
    await page.getByRole('button', { name: 'Open the step' }).click();
    const card = page.getByRole('article', { name: /^3 coder/ });
    await expect.poll(() => card.getAttribute('class')).toContain('border-accent');
  });

  it('travels in a file to another machine, where it can be read and forked, not run', async () => {
    const page = await open(threadPath('alpha', original));
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Export' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe(`${original}.uwfpack`);
    const pack = readFileSync(await download.path());

    const there = await open('/nodes/beta');
    const choose = async (buffer: Buffer) => {
      const [chooser] = await Promise.all([
        there.waitForEvent('filechooser'),
        there.getByRole('button', { name: 'Import' }).click(),
      ]);
      await chooser.setFiles({ name: 'thread.uwfpack', mimeType: '', buffer });
    };
    await choose(Buffer.concat([pack.subarray(0, pack.length - 40), Buffer.alloc(40, 7)]));
    const dialog = there.getByRole('dialog', { name: 'Import to beta' });
    await untilShown(dialog.getByRole('alert'));
    await dialog.getByRole('button', { name: 'Close' }).first().click();
    await untilGone(dialog);

    await choose(pack);
    await dialog.getByRole('link', { name: 'Open the thread' }).click();
    await untilShown(there.getByText(/^A copy from a pack/));
    await untilSteps(there, REVIEW_STEPS);
    expect(await there.getByRole('button', { name: /^(Pause|Resume|Kill|Retry)/ }).count()).toBe(0);
    expect((await stepsShown(there)).length).toBe(4);
    expect((await show(beta.machine, original)).imported).toBe(true);
  });

  it('cannot be changed by a viewer, who sees why, and can be taken away', async () => {
    const token = await fleet.gateway.token('viewer', 'vera');
    const page = await open(threadPath('alpha', original), token);
    const button = page.getByRole('button', { name: /^Fork \(/ });
    await untilShown(button);
    expect(await button.getAttribute('title')).toMatch(/^You are logged in as a viewer \(vera\)/);
    await untilShown(page.getByRole('link', { name: 'Export' }));
    await page.goto('/nodes/alpha');
    expect(await page.getByRole('button', { name: /^Import/ }).getAttribute('aria-disabled')).toBe(
      'true',
    );
  });
});
