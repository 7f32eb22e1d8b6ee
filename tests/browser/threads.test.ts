import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createFleet, type Fleet, type FleetNode } from '../gateway/fleet.js';
import { createBrowser, type TestBrowser } from '../support/browser.js';
import { start, untilStatus } from '../support/threads.js';
import { chain, writeWorkflow } from '../support/workflows.js';
import {
  BROWSER_TEST_MAX_MS,
  idOf,
  isMarked,
  markPage,
  PAGE_WAIT_MS,
  startThread,
  styleOf,
  threadPath,
  untilLive,
  untilShown,
  untilSteps,
  untilThreadIs,
  untilTitled,
} from './pages.js';
import { makeRepository } from './repository.js';
import { type GatedWorkflow, gatedChain, slowScript } from './slow-workflows.js';

describe('the page of threads', { timeout: BROWSER_TEST_MAX_MS }, () => {
  let fleet: Fleet;
  let alpha: FleetNode;
  let beta: FleetNode;
  let browser: TestBrowser;
  let gated: GatedWorkflow;
  let repository: string;

  beforeAll(async () => {
    [fleet, browser] = await Promise.all([createFleet(), createBrowser()]);
    [alpha, beta] = await Promise.all([
      fleet.add({ name: 'alpha' }),
      fleet.add({ name: 'beta', workflows: { slow: chain('slow', 3, slowScript) } }),
    ]);
    const waits = writeWorkflow(alpha.machine.cwd, 'waits', chain('waits', 3, slowScript));
    await alpha.machine.json(['workflow', 'add', waits]);
    gated = await addGated('gated');
    const root = join(realpathSync(alpha.machine.cwd), 'repositories');
    repository = join(root, 'shop');
    mkdirSync(repository, { recursive: true });
    makeRepository(repository);
    await alpha.machine.json(['workflow', 'list']);
    writeFileSync(
      join(alpha.machine.root, 'workflow.yaml'),
      `config:\n  workspaceRoots: [${root}]\n`,
      { flag: 'a' },
    );
  }, BROWSER_TEST_MAX_MS);
  afterEach((test) => browser.closePages(test));
  afterAll(async () => {
    await browser.close();
    await fleet.end();
  }, BROWSER_TEST_MAX_MS);

  async function addGated(name: string): Promise<GatedWorkflow> {
    const { cwd, json } = alpha.machine;
    const workflow = gatedChain(cwd, name, 3);
    await json(['workflow', 'add', writeWorkflow(cwd, name, workflow.yaml)]);
    return workflow;
  }

  const open = (path: string, height = 900) =>
    browser.open({ url: fleet.gateway.url, token: fleet.gateway.key, path, height });

  it('starts demo on a repository, and shows it to its end and every step of it', async () => {
    const page = await open('/', 3_000);
    await untilTitled(page, 'Home');
    await untilLive(page);
    await markPage(page);
    await startThread(page, {
      workflow: 'demo',
      node: 'alpha',
      prompt: 'What is wrong here?',
      workspace: repository,
    });
    await untilTitled(page, 'demo');
    await untilThreadIs(page, 'completed');
    const roles = ['survey', 'history', 'checks', 'triage', 'checks', 'triage', 'report'];
    await untilSteps(
      page,
      roles.map((role, index) => `${index + 1} ${role} done`),
    );
    await untilShown(page.getByText(/^Result:/));
    for (const [index, role] of roles.entries()) {
      const card = page.getByRole('article', { name: new RegExp(`^${index + 1} ${role}`) });
      const head = card.getByRole('button', { name: new RegExp(`${role} done`) });
      await head.click();
      expect(await head.getAttribute('aria-expanded')).toBe('false');
      await head.click();
      expect(await head.getAttribute('aria-expanded')).toBe('true');
      await untilShown(card.getByRole('region', { name: `What came out of ${role}` }));
      expect(new URL(page.url()).searchParams.get('step')).toBe(String(index + 1));
    }
    const places = page.getByRole('navigation', { name: 'Places' });
    const place = (name: string) => places.getByRole('link', { name });
    expect(await place('Threads').getAttribute('aria-current')).toBe('page');
    expect(await place('Nodes').getAttribute('aria-current')).toBeNull();
    expect(await page.getByText(repository).count()).toBeGreaterThan(0);
    expect(await isMarked(page)).toBe(true);
  });

  it('shows what a step says while it says it, and pauses and resumes', async () => {
    const page = await open('/nodes/alpha', 2_000);
    await startThread(page, { workflow: 'gated', node: 'alpha', prompt: 'Wait for me.' });
    await untilThreadIs(page, 'running');
    const speaks = page.getByRole('region', { name: 'What the step in flight says' });
    await untilShown(speaks.getByText('step 1 begins'));
    await page.getByRole('button', { name: 'Pause' }).click();
    await untilThreadIs(page, 'running\\s*\\(pauses after this step\\)');
    gated.letGo(1);
    await untilThreadIs(page, 'paused\\s*\\(after step 1\\)');
    await untilSteps(page, ['1 s1 done']);
    await untilShown(page.getByText('step 1 ends'));

    await page.getByRole('button', { name: 'Resume' }).click();
    await untilShown(speaks.getByText('step 2 begins'));
    await untilSteps(page, ['1 s1 done', '2 s2 running']);
    gated.letGo(2);
    await untilShown(speaks.getByText('step 3 begins'));
    gated.letGo(3);
    await untilThreadIs(page, 'completed');
    await untilSteps(page, ['1 s1 done', '2 s2 done', '3 s3 done']);
  });

  it('keeps its end in view while it is followed, also when that is the last that comes', async () => {
    const followed = await addGated('followed');
    const id = await start(alpha.machine, 'followed', '--prompt', 'Follow me.');
    const page = await open(threadPath('alpha', id), 500);
    for (const step of [1, 2, 3]) {
      await untilShown(page.getByText(`step ${step} begins`));
      followed.letGo(step);
    }
    await untilThreadIs(page, 'completed');
    await untilSteps(page, ['1 s1 done', '2 s2 done', '3 s3 done']);
    await untilShown(page.getByText('step 3 ends'));
    const below = () =>
      page.evaluate('document.documentElement.scrollHeight - innerHeight - scrollY');
    await expect.poll(below, { timeout: PAGE_WAIT_MS }).toBeLessThan(2);
    expect(await page.evaluate('scrollY')).toBeGreaterThan(0);
  });

  it('goes on a click on a role of the graph to its next visit and round again, and marks it a while', async () => {
    const id = await start(alpha.machine, 'demo', '--workspace', repository);
    await untilStatus(alpha.machine, id, 'completed');
    const page = await open(threadPath('alpha', id), 3_000);
    await untilShown(page.getByRole('article', { name: /^7 report/ }));
    const role = page.locator('button[data-node]').filter({ hasText: /^checks/ });
    await untilShown(role);
    expect(await styleOf(role, 'cursor')).toBe('pointer');
    for (const [visit, step] of [3, 5, 3].entries()) {
      await role.click();
      await expect.poll(() => new URL(page.url()).search).toBe(`?step=${step}`);
      const flash = page
        .getByRole('article', { name: new RegExp(`^${step} checks`) })
        .locator('.flash');
      await expect.poll(() => styleOf(flash, 'opacity')).toBe('1');
      expect(await styleOf(flash, 'animationDuration')).toBe('1.5s');
      expect(await page.locator('.flash').count()).toBe(1);
      if (visit === 2)
        await expect.poll(() => styleOf(flash, 'opacity'), { timeout: PAGE_WAIT_MS }).toBe('0');
    }
    // On another tab it leads to the steps.
    await page.getByRole('tab', { name: 'Log' }).click();
    await role.click();
    await expect.poll(() => new URL(page.url()).search).toBe('?step=3');
  });

  it('does nothing on a click on a role that has not run, and looks so', async () => {
    const page = await open('/nodes/alpha', 2_000);
    const id = await startThread(page, { workflow: 'waits', node: 'alpha', prompt: 'Not yet.' });
    const role = (name: string) =>
      page.locator('button[data-node]').filter({ hasText: new RegExp(`^${name}`) });
    await untilShown(role('s1').getByText('running'));
    const before = page.url();
    expect(await role('s2').getAttribute('aria-disabled')).toBe('true');
    expect(await styleOf(role('s2'), 'cursor')).toBe('default');
    expect(await role('s2').getAttribute('title')).toContain('It has not run yet.');
    // By force: who presses it does not ask first whether it can be pressed.
    await role('s2').click({ force: true });
    expect(page.url()).toBe(before);
    expect(await page.locator('.flash').count()).toBe(0);
    await page.getByText('The graph in words').click();
    await untilShown(page.getByRole('button', { name: 's1', exact: true }));
    expect(await page.getByRole('button', { name: 's2', exact: true }).count()).toBe(0);
    await role('s1').click();
    await expect.poll(() => new URL(page.url()).search).toBe('?step=1');
    await alpha.machine.uwf(['thread', 'kill', id]);
  });

  it('clears the workflow and what was filled in for it when another node is chosen, and keeps the rest', async () => {
    const page = await open('/threads?status=running&node=alpha&workflow=gated&q=wait');
    await untilTitled(page, 'Threads');
    await page.getByLabel('Node', { exact: true }).selectOption('beta');
    await expect.poll(() => new URL(page.url()).search).toBe('?status=running&node=beta&q=wait');

    await page.getByRole('banner').getByRole('button', { name: 'Start' }).click();
    const dialog = page.getByRole('dialog', { name: 'Start a workflow' });
    await dialog.getByLabel('Workflow').selectOption('demo');
    await dialog.getByLabel('Node').selectOption('alpha');
    expect(await dialog.getByLabel('Workflow').inputValue()).toBe('demo');
    await dialog.getByLabel('Prompt').fill('Stay.');
    await dialog.getByLabel('Workspace').fill(repository);
    await dialog.getByLabel('Node').selectOption('beta');
    expect(await dialog.getByLabel('Workflow').inputValue()).toBe('');
    expect(await dialog.getByLabel('Workspace').inputValue()).toBe('');
    expect(await dialog.getByLabel('Prompt').inputValue()).toBe('Stay.');
    await dialog.getByRole('button', { name: 'Clear' }).click();
  });

  it('fills in for demo where the node lets work, and keeps that when its button is pressed', async () => {
    const page = await open('/nodes/alpha');
    await page.getByRole('banner').getByRole('button', { name: 'Start' }).click();
    const dialog = page.getByRole('dialog', { name: 'Start a workflow' });
    await dialog.getByLabel('Node').selectOption('alpha');
    await dialog.getByRole('button', { name: 'Start' }).click();
    await untilShown(dialog.getByText('Choose a workflow.'));
    await dialog.getByLabel('Workflow').selectOption('demo');
    expect(await dialog.getByText('Choose a workflow.').count()).toBe(0);
    const root = dirname(repository);
    await expect.poll(() => dialog.getByLabel('Workspace').inputValue()).toBe(root);
    await dialog.getByRole('button', { name: root, exact: true }).click();
    expect(await dialog.getByLabel('Workspace').inputValue()).toBe(root);
    await dialog.getByRole('button', { name: 'Clear' }).click();
  });

  it('ends another one when it is told to, after asking once', async () => {
    const page = await open('/nodes/beta');
    await startThread(page, { workflow: 'slow', node: 'beta', prompt: 'Never ends.' });
    await untilThreadIs(page, 'running');
    await page.getByRole('button', { name: 'Kill' }).click();
    const dialog = page.getByRole('dialog', { name: 'End this thread?' });
    await dialog.getByRole('button', { name: 'Let it go on' }).click();
    await untilThreadIs(page, 'running');
    await page.getByRole('button', { name: 'Kill' }).click();
    await dialog.getByRole('button', { name: 'Kill it' }).click();
    await untilThreadIs(page, 'cancelled');
    const id = await idOf(page);
    expect(await untilStatus(beta.machine, id, 'cancelled')).toMatchObject({ stepCount: 0 });
    expect(await page.getByRole('button', { name: 'Kill' }).count()).toBe(0);
  });

  it('shows threads of both machines in one list, new ones without a reload, and narrows it by address', async () => {
    const page = await open('/threads');
    await untilTitled(page, 'Threads');
    await untilLive(page);
    const [first, second] = await Promise.all([
      start(alpha.machine, 'demo', '--prompt', 'list me from alpha'),
      start(beta.machine, 'slow', '--prompt', 'list me from beta'),
    ]);
    const row = (text: string) => page.getByRole('link').filter({ hasText: text });
    await untilShown(page.locator(`a[href="${threadPath('alpha', first)}"]`));
    await untilShown(page.locator(`a[href="${threadPath('beta', second)}"]`));
    await untilShown(row('list me from beta'));

    await page.getByRole('button', { name: 'running' }).click();
    await page.getByLabel('Node', { exact: true }).selectOption('beta');
    await expect.poll(() => page.getByRole('link').filter({ hasText: 'alpha' }).count()).toBe(0);
    expect(page.url()).toMatch(/\/threads\?status=running&node=beta$/);
    await page.reload();
    await untilShown(row('list me from beta'));
    expect(await page.getByRole('button', { name: 'running' }).getAttribute('aria-pressed')).toBe(
      'true',
    );
    expect(await page.getByLabel('Node', { exact: true }).inputValue()).toBe('beta');

    await beta.machine.uwf(['thread', 'kill', second]);
    await untilShown(page.getByText('No thread is like that.'));
  });

  it('keeps the step and the tab that an address names, also when it is loaded anew', async () => {
    const id = await start(alpha.machine, 'demo', '--prompt', 'deep');
    const { steps } = await untilStatus(alpha.machine, id, 'completed');
    expect(steps.length).toBeGreaterThan(1);
    const page = await open(`${threadPath('alpha', id)}?step=2`);
    const card = page.getByRole('article', { name: /^2 / });
    await untilShown(card);
    await expect.poll(() => card.getAttribute('class')).toContain('border-accent');
    await page.reload();
    await untilShown(card);
    expect(new URL(page.url()).search).toBe('?step=2');

    const log = page.getByRole('tabpanel', { name: 'Log' }).getByText('The log is empty.');
    await page.getByRole('tab', { name: 'Log' }).click();
    await untilShown(log);
    await page.reload();
    await untilShown(log);
    expect(new URL(page.url()).search).toBe('?tab=log');
  });
});
