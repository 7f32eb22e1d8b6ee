import { join } from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createFleet, type Fleet, type FleetNode } from '../gateway/fleet.js';
import { createBrowser, SCREENSHOTS, type TestBrowser, type Theme } from '../support/browser.js';
import { show, start, untilStatus } from '../support/threads.js';
import { until } from '../support/until.js';
import { chain, oneScript, writeWorkflow } from '../support/workflows.js';
import { BROWSER_TEST_MAX_MS, threadPath, untilGone, untilShown, untilTitled } from './pages.js';
import { makeRepository } from './repository.js';
import { addReview } from './reviewed-workflow.js';
import { type GatedWorkflow, gatedChain, slowScript } from './slow-workflows.js';

/** Of a walk through all views with axe at each, ms. */
const WALK_MAX_MS = 300_000;
const NARROW_PX = 390;
const NARROW_HEIGHT_PX = 844;
const PROMPT = 'Look at the shop: what is wrong with it, and what should be done first?';
const RULES = ['wcag2a', 'wcag2aa'];

type View = {
  name: string;
  path: string;
  /** There when the view is. */
  shown: (page: Page) => Locator;
  /** What a person does first. */
  act?: (page: Page) => Promise<void>;
  isLoggedOut?: boolean;
  isViewer?: boolean;
};

describe('every view', { timeout: BROWSER_TEST_MAX_MS }, () => {
  let fleet: Fleet;
  let alpha: FleetNode;
  let browser: TestBrowser;
  let gated: GatedWorkflow;
  let viewer: string;
  let views: View[];

  beforeAll(async () => {
    [fleet, browser] = await Promise.all([createFleet(), createBrowser()]);
    const gone = fleet.add({ name: 'laptop', labels: 'os=mac' });
    [alpha] = await Promise.all([
      fleet.add({
        name: 'build-1',
        labels: 'os=linux,gpu=a100,site=berlin',
        workflows: {
          slow: chain('slow', 2, slowScript),
          broken: oneScript('broken', 'echo "Cannot reach the registry." >&2; exit 3'),
        },
      }),
      gone,
    ]);
    const { machine } = alpha;
    gated = gatedChain(machine.cwd, 'release', 3);
    await machine.json(['workflow', 'add', writeWorkflow(machine.cwd, 'release', gated.yaml)]);
    await (await gone).disconnect();
    viewer = await fleet.gateway.token('viewer', 'vera');
    await addReview(alpha);

    const repository = makeRepository(join(machine.cwd, 'shop'));
    const demo = await start(machine, 'demo', '--prompt', PROMPT, '--workspace', repository);
    const review = await startReview();
    await untilStatus(machine, review, 'completed');
    const fork = await forkReview(review, 1);
    await untilStatus(machine, fork, 'completed');
    const second = await forkReview(fork, 2);
    const outer = await startOuter();
    const { steps } = await untilStatus(machine, outer, 'completed');
    const inner = steps[1]!.childThread!;
    const broken = await start(machine, 'broken', '--prompt', 'Publish version 2.');
    const paused = await start(machine, 'release', '--prompt', 'Release the shop, step by step.');
    await until(
      'its first step has begun',
      async () => (await show(machine, paused)).steps.length > 0,
    );
    await machine.json(['thread', 'pause', paused]);
    gated.letGo(1);
    await Promise.all([
      untilStatus(machine, demo, 'completed'),
      untilStatus(machine, second, 'completed'),
      untilStatus(machine, broken, 'failed'),
      untilStatus(machine, paused, 'paused'),
    ]);
    const running = await start(machine, 'slow', '--prompt', 'Watch the queue for the whole day.');
    await untilStatus(machine, running, 'running');
    views = viewsOf({ demo, broken, paused, running, review, fork, outer, inner });
  }, BROWSER_TEST_MAX_MS);
  afterEach((test) => browser.closePages(test));
  afterAll(async () => {
    await browser.close();
    await fleet.end();
  }, BROWSER_TEST_MAX_MS);

  async function startReview(): Promise<string> {
    const body = {
      workflow: 'review',
      node: 'build-1',
      prompt: 'Prices are wrong by a cent: find out why, and put it right.',
    };
    return (await fleet.client.startSomewhere({ body })).threadId;
  }

  async function startOuter(): Promise<string> {
    const body = {
      workflow: 'ship',
      node: 'build-1',
      prompt: 'Put the prices right, and ship it.',
    };
    return (await fleet.client.startSomewhere({ body })).threadId;
  }

  async function forkReview(id: string, fromStep: number): Promise<string> {
    const body = { fromStep, agents: { coder: 'careful' } };
    return (await fleet.client.forkThread({ params: { id }, body })).threadId;
  }

  /** Each view in turn, as it is for this theme and width, with a picture of it. */
  async function walk(
    look: string,
    { theme, width, height }: { theme: Theme; width: number; height: number },
    check: (page: Page, name: string) => Promise<void>,
  ): Promise<void> {
    const openAs = (token: string | null) =>
      browser.open({ url: fleet.gateway.url, token, theme, width, height, path: '/login' });
    const pages = {
      operator: await openAs(fleet.gateway.key),
      viewer: await openAs(viewer),
      nobody: await openAs(null),
    };
    for (const { name, path, shown, act, isLoggedOut, isViewer } of views) {
      const page = isLoggedOut ? pages.nobody : isViewer ? pages.viewer : pages.operator;
      await page.goto(path);
      await untilShown(shown(page));
      await act?.(page);
      await untilGone(page.getByText(/^Loading \S/));
      await page.screenshot({ path: join(SCREENSHOTS, `${name}-${look}.png`) });
      await check(page, name);
    }
  }

  it.each([
    ['light', (page: Page) => new AxeBuilder({ page }).withTags(RULES)],
    // What is where is the same; only colours are others.
    ['dark', (page: Page) => new AxeBuilder({ page }).withRules(['color-contrast'])],
  ] as const)(
    'can be used by everybody, says axe, when it is %s',
    async (theme, axe) => {
      const found: string[] = [];
      await walk(theme, { theme, width: 1280, height: 900 }, async (page, name) => {
        const { violations } = await axe(page).analyze();
        for (const { id, nodes } of violations)
          found.push(`${name}: ${id}: ${nodes.map(({ html }) => html).join(' ')}`);
      });
      expect(found).toEqual([]);
    },
    WALK_MAX_MS,
  );

  it(
    `fits ${NARROW_PX} px: nothing scrolls sideways, and what can be pressed is inside`,
    async () => {
      const found: string[] = [];
      const size = { width: NARROW_PX, height: NARROW_HEIGHT_PX };
      await walk('narrow', { theme: 'light', ...size }, async (page, name) => {
        const wide = await page.evaluate<number>('document.documentElement.scrollWidth');
        if (wide > NARROW_PX) found.push(`${name}: ${wide} px wide`);
        const outside = await page.evaluate<string[]>(OUTSIDE);
        found.push(...outside.map((one) => `${name}: ${one}`));
        const squeezed = await page.evaluate<string[]>(SQUEEZED);
        found.push(...squeezed.map((one) => `${name}: no room for ${one}`));
        const wrapped = await page.evaluate<string[]>(WRAPPED);
        found.push(...wrapped.map((one) => `${name}: below its line: ${one}`));
      });
      expect(found).toEqual([]);
    },
    WALK_MAX_MS,
  );

  it('can be made light or dark by hand, and stays so', async () => {
    const { url, key } = fleet.gateway;
    const page = await browser.open({ url, token: key, theme: 'light' });
    const background = () =>
      page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
    const light = await background();
    await page.getByRole('button', { name: /^Theme: System/ }).click();
    await page.getByRole('button', { name: /^Theme: Light/ }).click();
    await untilShown(page.getByRole('button', { name: /^Theme: Dark/ }));
    const dark = await background();
    expect(dark).not.toBe(light);
    await page.reload();
    await untilShown(page.getByRole('button', { name: /^Theme: Dark/ }));
    expect(await background()).toBe(dark);
  });

  it('is calm about a node that is away with nothing on it that matters', async () => {
    const { url, key } = fleet.gateway;
    const page = await browser.open({ url, token: key });
    await untilShown(page.getByRole('main').getByRole('link', { name: /^laptop/ }));
    await untilShown(page.getByText('Watch the queue').first());
    expect(await page.getByText('does not answer').count()).toBe(0);
  });

  it('that does not exist says so', async () => {
    const { url, key } = fleet.gateway;
    const page = await browser.open({ url, token: key, path: '/no/such/page' });
    await untilTitled(page, 'No such page');
    await page.screenshot({ path: join(SCREENSHOTS, 'missing-light.png') });
    await page.goto('/nodes/no-such-node');
    await untilTitled(page, 'No such node');
    const main = page.getByRole('main');
    await untilShown(main.getByText('no-such-node'));
    expect(await main.getByRole('button').count()).toBe(0);
    expect(await main.textContent()).not.toMatch(/GET|\/api/);
    await page.screenshot({ path: join(SCREENSHOTS, 'missing-node-light.png') });
    await main.getByRole('link', { name: 'Those that have' }).click();
    await untilTitled(page, 'Nodes');
  });

  it('says what is not there yet on a gateway that is new', async () => {
    const empty = await createFleet();
    try {
      const { url, key } = empty.gateway;
      const page = await browser.open({ url, token: key });
      await untilShown(page.getByText(/^No node has connected to this gateway yet/));
      await page.screenshot({ path: join(SCREENSHOTS, 'empty-home-light.png') });
      await page.goto('/threads');
      await untilShown(page.getByText(/No thread was started yet/));
      await page.screenshot({ path: join(SCREENSHOTS, 'empty-threads-light.png') });
      await page.goto('/nodes');
      await untilShown(page.getByText(/^No node has connected to this gateway yet/));
      await empty.gateway.service().kill();
      await untilShown(page.getByText(/^The connection is down/));
      await page.screenshot({ path: join(SCREENSHOTS, 'cut-off-light.png') });
    } finally {
      await empty.end();
    }
  });
});

/** What can be pressed but reaches out of the window sideways, where nothing around it scrolls. */
const OUTSIDE = `[...document.querySelectorAll('a, button, input, select, textarea, summary')]
  .filter((one) => one.checkVisibility() && !one.closest('.sr-only, .react-flow'))
  .filter((one) => {
    const { left, right, width } = one.getBoundingClientRect();
    if (width === 0 || (left >= 0 && right <= innerWidth)) return false;
    for (let around = one.parentElement; around !== null; around = around.parentElement)
      if (['auto', 'scroll'].includes(getComputedStyle(around).overflowX)) return false;
    return !one.classList.contains('sr-only');
  })
  .map((one) => one.outerHTML.slice(0, 200))`;

/** Roles of steps whose names have no room beside what else stands in the line. */
const SQUEEZED = `[...document.querySelectorAll('article h3 .truncate')]
  .filter(({ clientWidth, scrollWidth }) => clientWidth < Math.min(scrollWidth, 40))
  .map((one) => one.textContent)`;

/** Buttons of steps that stand below the line of the step's name. */
const WRAPPED = `[...document.querySelectorAll('article')].flatMap((card) => {
  const name = card.querySelector('h3').getBoundingClientRect();
  return [...card.querySelectorAll('header > button')]
    .filter((one) => one.getBoundingClientRect().top > name.bottom)
    .map((one) => one.ariaLabel);
})`;

type Ids = Record<
  'demo' | 'broken' | 'paused' | 'running' | 'review' | 'fork' | 'outer' | 'inner',
  string
>;

function viewsOf(ids: Ids): View[] {
  const thread = (id: string) => threadPath('build-1', id);
  const heading = (name: string) => (page: Page) => page.getByRole('heading', { level: 1, name });
  const step = (page: Page) => page.getByRole('article').locator('.prose-calm');
  const chooseDemo = async (page: Page) => {
    await page.getByRole('banner').getByRole('button', { name: 'Start' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Node').selectOption('build-1');
    await dialog.getByLabel('Workflow').selectOption('demo');
    await untilShown(dialog.getByText(/Roles: survey/));
    await dialog.getByLabel('Prompt').fill(PROMPT);
  };
  return [
    { name: 'login', path: '/login', shown: (page) => page.getByLabel('Token'), isLoggedOut: true },
    {
      name: 'login-refused',
      path: '/login',
      shown: (page) => page.getByLabel('Token'),
      isLoggedOut: true,
      act: async (page) => {
        await page.getByLabel('Token').fill('wrong');
        await page.getByRole('button', { name: 'Log in' }).click();
        await untilShown(page.getByRole('alert'));
      },
    },
    { name: 'home', path: '/', shown: (page) => page.getByText('Watch the queue').first() },
    {
      name: 'home-viewer',
      path: '/',
      isViewer: true,
      shown: (page) => page.getByText('Watch the queue').first(),
    },
    { name: 'threads', path: '/threads', shown: (page) => page.getByText(/all of them/) },
    {
      name: 'threads-filtered',
      path: '/threads?status=running,failed&node=build-1&q=watch',
      shown: (page) => page.getByText(/all of them/),
    },
    { name: 'nodes', path: '/nodes', shown: (page) => page.getByRole('link', { name: /^laptop/ }) },
    { name: 'node', path: '/nodes/build-1', shown: (page) => page.getByText('Newest threads') },
    {
      name: 'node-offline',
      path: '/nodes/laptop',
      shown: (page) => page.getByText(/^Not connected since/),
    },
    {
      name: 'workflows',
      path: '/nodes/build-1/workflows',
      shown: (page) => page.getByRole('link', { name: /^release/ }),
    },
    {
      name: 'workflow',
      path: '/nodes/build-1/workflows/demo',
      shown: (page) => page.locator('.react-flow__node').first(),
    },
    { name: 'thread-completed', path: thread(ids.demo), shown: (page) => step(page).first() },
    {
      name: 'thread-step',
      path: `${thread(ids.demo)}?step=4`,
      shown: (page) => step(page).first(),
    },
    {
      name: 'thread-running',
      path: thread(ids.running),
      shown: (page) => page.getByText('step 1 begins'),
    },
    {
      name: 'thread-viewer',
      path: thread(ids.running),
      isViewer: true,
      shown: (page) => page.getByText('step 1 begins'),
    },
    {
      name: 'thread-paused',
      path: thread(ids.paused),
      shown: (page) => page.getByText('step 1 ends'),
    },
    {
      name: 'thread-failed',
      path: thread(ids.broken),
      // Its one step was carried out: what went wrong is that nothing leads on from there.
      shown: (page) => page.getByRole('article', { name: /^1 work failed/ }),
      act: async (page) => {
        const card = page.getByRole('article');
        await untilShown(card.getByText('no-route'));
        await untilShown(card.getByText('→ failed'));
      },
    },
    {
      name: 'thread-review',
      path: thread(ids.review),
      shown: (page) => step(page).first(),
    },
    {
      name: 'thread-fork',
      path: thread(ids.fork),
      shown: (page) => page.getByText('after step 1'),
    },
    {
      name: 'thread-outer',
      path: `${thread(ids.outer)}?step=2`,
      shown: (page) => page.getByText(/^Carried out by thread/),
    },
    {
      name: 'thread-inner',
      path: thread(ids.inner),
      shown: (page) => page.getByText('as step 2'),
      act: (page) => untilShown(step(page)).then(() => undefined),
    },
    {
      name: 'thread-lineage-nested',
      path: `${thread(ids.inner)}?tab=lineage`,
      shown: (page) => page.getByText('nested: step 2 of it'),
    },
    {
      name: 'fork-outside',
      path: thread(ids.demo),
      shown: heading('demo'),
      act: async (page) => {
        await page.getByRole('button', { name: 'Fork', exact: true }).click();
        const dialog = page.getByRole('dialog');
        await dialog.getByLabel(/^Prompt/).fill('Look at the prices, too.');
        await untilShown(dialog.getByText(/^The thread works in/));
      },
    },
    {
      name: 'thread-timeline',
      path: `${thread(ids.demo)}?tab=timeline&step=3`,
      shown: (page) => page.getByRole('button', { name: 'Open the step' }),
    },
    {
      name: 'thread-trace',
      path: `${thread(ids.review)}?tab=trace&step=1`,
      shown: (page) => page.getByRole('region', { name: 'Turn 2' }),
      act: (page) => page.locator('summary', { hasText: 'read_file' }).click(),
    },
    {
      name: 'thread-trace-none',
      path: `${thread(ids.demo)}?tab=trace`,
      shown: (page) => page.getByText(/^No agent has ended a step/),
    },
    {
      name: 'thread-lineage',
      path: `${thread(ids.fork)}?tab=lineage`,
      shown: (page) => page.getByText('fork after step 2'),
    },
    {
      name: 'thread-lineage-alone',
      path: `${thread(ids.demo)}?tab=lineage`,
      shown: (page) => page.getByText(/^Nothing was forked from it/),
    },
    {
      name: 'thread-diff',
      path: `${thread(ids.review)}?tab=lineage&with=${ids.fork}`,
      shown: (page) => page.getByText(/^They share step 1\./),
      act: async (page) => {
        const step = page.getByRole('region', { name: 'Step 3' });
        await step.getByRole('button').first().click();
        await step.scrollIntoViewIfNeeded();
      },
    },
    {
      name: 'fork',
      path: thread(ids.review),
      shown: heading('review'),
      act: async (page) => {
        await page.getByRole('button', { name: 'Fork', exact: true }).click();
        await untilShown(page.getByRole('dialog').getByText(/^Keeps steps 1–3/));
      },
    },
    {
      name: 'thread-unseen',
      path: threadPath('laptop', '01M8Q9VTBKK0Q6ZM5087E6DBR1'),
      shown: (page) => page.getByText(/^laptop is not connected, and nothing of this thread/),
    },
    {
      name: 'thread-log',
      path: `${thread(ids.demo)}?tab=log`,
      shown: (page) => page.getByText('The log is empty.'),
    },
    {
      name: 'thread-graph',
      path: thread(ids.demo),
      shown: heading('demo'),
      act: async (page) => {
        const graph = page.locator('details', { hasText: /^Graph/ }).first();
        if ((await graph.getAttribute('open')) === null)
          await page.locator('summary', { hasText: /^Graph$/ }).click();
        await untilShown(page.locator('.react-flow__node'));
      },
    },
    { name: 'start', path: '/', shown: heading('Home'), act: chooseDemo },
    {
      name: 'start-labels',
      path: '/',
      shown: heading('Home'),
      act: async (page) => {
        await chooseDemo(page);
        const dialog = page.getByRole('dialog');
        await dialog.getByLabel('Node').selectOption('');
        await dialog.getByLabel('Workflow').selectOption('demo');
        await dialog.getByRole('button', { name: 'gpu=a100' }).click();
      },
    },
    {
      name: 'start-options',
      path: '/nodes',
      shown: heading('Nodes'),
      act: async (page) => {
        await chooseDemo(page);
        await page.getByRole('dialog').locator('summary').click();
        await page.getByRole('dialog').getByLabel('report').scrollIntoViewIfNeeded();
      },
    },
    {
      name: 'kill',
      path: thread(ids.running),
      shown: (page) => page.getByText('step 1 begins'),
      act: async (page) => {
        await page.getByRole('button', { name: 'Kill' }).click();
        await untilShown(page.getByRole('dialog', { name: 'End this thread?' }));
      },
    },
  ];
}
