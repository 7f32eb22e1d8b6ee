import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createFleet, type Fleet, type FleetNode } from '../gateway/fleet.js';
import { createBrowser, type TestBrowser } from '../support/browser.js';
import { start, untilStatus } from '../support/threads.js';
import { chain } from '../support/workflows.js';
import {
  BROWSER_TEST_MAX_MS,
  idOf,
  tabTo,
  threadPath,
  untilShown,
  untilThreadIs,
  untilTitled,
} from './pages.js';
import { slowScript } from './slow-workflows.js';

describe('who uses the page', { timeout: BROWSER_TEST_MAX_MS }, () => {
  let fleet: Fleet;
  let node: FleetNode;
  let browser: TestBrowser;
  let url: string;

  beforeAll(async () => {
    [fleet, browser] = await Promise.all([createFleet(), createBrowser()]);
    url = fleet.gateway.url;
    node = await fleet.add({ name: 'alpha', workflows: { slow: chain('slow', 1, slowScript) } });
  }, BROWSER_TEST_MAX_MS);
  afterEach((test) => browser.closePages(test));
  afterAll(async () => {
    await browser.close();
    await fleet.end();
  }, BROWSER_TEST_MAX_MS);

  const logIn = async (page: Page, token: string) => {
    await page.getByLabel('Token').fill(token);
    await page.getByRole('button', { name: 'Log in' }).click();
  };

  it('is told why a token is refused, and comes after the log-in to where a link led', async () => {
    const page = await browser.open({
      url,
      token: null,
      path: '/threads?status=failed&node=alpha',
    });
    await page.waitForURL(/\/login\?/);
    await logIn(page, 'not-a-token');
    await untilShown(page.getByRole('alert').getByText(/^This token was refused: \S/));
    expect(await page.getByLabel('Token').getAttribute('aria-invalid')).toBe('true');
    await logIn(page, fleet.gateway.key);
    await untilTitled(page, 'Threads');
    expect(page.url()).toBe(`${url}/threads?status=failed&node=alpha`);
    await page.reload();
    await untilTitled(page, 'Threads');

    const cookies = await page.context().cookies();
    expect(cookies.map(({ httpOnly, sameSite }) => ({ httpOnly, sameSite }))).toEqual([
      { httpOnly: true, sameSite: 'Strict' },
    ]);
    expect(await page.evaluate('document.cookie')).toBe('');
    expect(
      await page.evaluate('JSON.stringify({ ...localStorage, ...sessionStorage })'),
    ).not.toContain(fleet.gateway.key);
  });

  it('is led to the log-in by one that leads elsewhere, but not away from the page', async () => {
    const page = await browser.open({ url, token: null, path: '/login?return=//evil.example/x' });
    await logIn(page, fleet.gateway.key);
    await untilTitled(page, 'Home');
    expect(page.url()).toBe(`${url}/`);
  });

  it('leaves every tab by logging out in one of them', async () => {
    const page = await browser.open({ url, token: fleet.gateway.key, path: '/nodes' });
    await untilShown(page.getByRole('link', { name: /^alpha/ }));
    const beside = await browser.openBeside(page);
    await beside.goto('/nodes/alpha');
    await untilTitled(beside, 'alpha');
    await page.getByRole('button', { name: /^Log out/ }).click();
    await untilShown(page.getByLabel('Token'));
    await untilShown(beside.getByLabel('Token'));
    expect(beside.url()).toBe(`${url}/login?return=%2Fnodes%2Falpha`);
  });

  it('cannot start or steer as a viewer, and is told so', async () => {
    const id = await start(node.machine, 'slow', '--prompt', 'watched only');
    const token = await fleet.gateway.token('viewer', 'vera');
    const page = await browser.open({ url, token, path: threadPath('alpha', id) });
    await untilThreadIs(page, 'running');
    const why = 'You are logged in as a viewer (vera): viewers watch, operators';
    await untilShown(page.getByText(`${why} control threads.`).first());
    for (const name of ['Pause', 'Kill']) {
      const button = page.getByRole('button', { name: new RegExp(`^${name}`) });
      expect(await button.getAttribute('aria-disabled')).toBe('true');
      expect(await button.getAttribute('title')).toBe(`${why} control threads.`);
      await button.click({ force: true });
    }
    expect(await page.getByRole('dialog').count()).toBe(0);
    const startButton = page.getByRole('button', { name: /^Start/ });
    expect(await startButton.getAttribute('title')).toBe(`${why} start threads.`);
    await startButton.click({ force: true });
    await untilShown(page.getByRole('status').filter({ hasText: `${why} start threads.` }));
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(await untilStatus(node.machine, id, 'running')).toMatchObject({ desired: 'run' });
    await node.machine.uwf(['thread', 'kill', id]);
    await untilThreadIs(page, 'cancelled');
  });

  it('logs in, starts a thread and opens its steps with the keyboard alone', async () => {
    const page = await browser.open({ url, token: null });
    await untilShown(page.getByLabel('Token'));
    await page.keyboard.type(fleet.gateway.key);
    await page.keyboard.press('Enter');
    await untilTitled(page, 'Home');

    await tabTo(page, /^Start$/);
    await page.keyboard.press('Enter');
    const workflow = page.getByRole('dialog').getByLabel('Workflow');
    await workflow.getByRole('option', { name: 'demo' }).waitFor({ state: 'attached' });
    await tabTo(page, /^Workflow/);
    await page.keyboard.type('demo');
    expect(await workflow.inputValue()).toBe('demo');
    await tabTo(page, /^Prompt/);
    await page.keyboard.type('By keyboard.');
    await tabTo(page, /^Start$/);
    await page.keyboard.press('Enter');
    const id = await idOf(page);
    await untilThreadIs(page, 'completed');

    await page.goto('/');
    await untilTitled(page, 'Home');
    await tabTo(page, /^Threads$/);
    await page.keyboard.press('Enter');
    await untilTitled(page, 'Threads');
    await tabTo(page, /By keyboard|demo/);
    await page.keyboard.press('Enter');
    expect(await idOf(page)).toBe(id);
    await tabTo(page, /^1 survey/);
    await page.keyboard.press('Enter');
    expect(
      await page.getByRole('button', { name: /^1 survey/ }).getAttribute('aria-expanded'),
    ).toBe('false');
  });
});
