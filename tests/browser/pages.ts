import type { Locator, Page } from 'playwright-core';
import { until } from '../support/until.js';

/** Far above what anything takes that a page waits for, with two cores and many tests. */
export const PAGE_WAIT_MS = 30_000;
/** Of a test or hook with a browser and processes, ms; on its own it takes a tenth of this. */
export const BROWSER_TEST_MAX_MS = 120_000;

/** Where a thread is shown. */
export const threadPath = (node: string, id: string): string => `/nodes/${node}/threads/${id}`;

/** Waits until it is there to be seen. */
export async function untilShown(locator: Locator): Promise<Locator> {
  await locator.first().waitFor({ state: 'visible', timeout: PAGE_WAIT_MS });
  return locator;
}

/** Waits until it is not to be seen any more. */
export async function untilGone(locator: Locator): Promise<void> {
  await locator.first().waitFor({ state: 'hidden', timeout: PAGE_WAIT_MS });
}

/** Waits until the page has this heading. */
export async function untilTitled(page: Page, title: string): Promise<void> {
  await untilShown(page.getByRole('heading', { level: 1, name: title, exact: true }));
}

/** Waits until the page says of the thread on it that it stands so. */
export async function untilThreadIs(page: Page, status: string): Promise<void> {
  await untilShown(page.locator('main h1 + span', { hasText: new RegExp(`^${status}`) }));
}

/** Waits until the page says that it is live. */
export async function untilLive(page: Page): Promise<void> {
  await untilShown(page.getByRole('status').filter({ hasText: /^Live$/ }));
}

/** The cards of the steps that are drawn: `3 checks done`. */
export async function stepsShown(page: Page): Promise<string[]> {
  const texts = await page.getByRole('article').getByRole('heading', { level: 3 }).allInnerTexts();
  return texts.map((text) => text.replace(/\s+/g, ' ').trim());
}

/** Waits until the page shows exactly these steps. */
export async function untilSteps(page: Page, expected: readonly string[]): Promise<void> {
  let shown: string[] = [];
  await until(
    `the steps are ${expected.join(', ')}`,
    async () => {
      shown = await stepsShown(page);
      return shown.join() === expected.join();
    },
    PAGE_WAIT_MS,
  ).catch((error: unknown) => {
    throw new Error(`${String(error)}; shown: ${shown.join(', ')}`);
  });
}

/** Opens the dialog of a page and starts a workflow; ends at the new thread's page and returns its id. */
export async function startThread(
  page: Page,
  {
    workflow,
    node,
    prompt,
    workspace,
  }: Record<'workflow' | 'node' | 'prompt', string> & {
    workspace?: string;
  },
): Promise<string> {
  await page.getByRole('banner').getByRole('button', { name: 'Start' }).click();
  const dialog = page.getByRole('dialog', { name: 'Start a workflow' });
  await dialog.getByLabel('Node').selectOption(node);
  await dialog.getByLabel('Workflow').selectOption(workflow);
  await dialog.getByLabel('Prompt').fill(prompt);
  if (workspace !== undefined) await dialog.getByLabel('Workspace').fill(workspace);
  await dialog.getByRole('button', { name: 'Start' }).click();
  await untilGone(dialog);
  return idOf(page);
}

/** Id of the thread that the page shows. */
export async function idOf(page: Page): Promise<string> {
  await page.waitForURL(/\/threads\/[0-9A-Z]{26}/, { timeout: PAGE_WAIT_MS });
  return /\/threads\/([0-9A-Z]{26})/.exec(page.url())![1]!;
}

type Window = { getComputedStyle: (element: unknown) => Record<string, string> };

/** What a property of an element's style comes to. */
export function styleOf(locator: Locator, property: string): Promise<string> {
  return locator.evaluate(
    (element, name) => (globalThis as unknown as Window).getComputedStyle(element)[name] ?? '',
    property,
  );
}

/** A mark that a page keeps until it is loaded anew. */
export async function markPage(page: Page): Promise<void> {
  await page.evaluate('window.uwfMark = true');
}

export function isMarked(page: Page): Promise<boolean> {
  return page.evaluate<boolean>('window.uwfMark === true');
}

/** More than any page has between two places. */
const TABS_MAX = 120;
/** What a screen reader would begin with: the label or the text of what has the focus. */
const FOCUSED = `(() => {
  const { activeElement } = document;
  const text = activeElement.labels?.[0]?.innerText ?? activeElement.ariaLabel ?? activeElement.innerText ?? '';
  return text.replace(/\\s+/g, ' ').trim();
})()`;

/** Presses Tab until something with this name has the focus. */
export async function tabTo(page: Page, name: RegExp): Promise<void> {
  const passed: string[] = [];
  for (let tabs = 0; tabs < TABS_MAX; tabs++) {
    await page.keyboard.press('Tab');
    const focused = await page.evaluate<string>(FOCUSED);
    if (name.test(focused)) return;
    passed.push(focused);
  }
  throw new Error(`Tab never came to ${name}; it came to: ${passed.join(' | ')}`);
}
