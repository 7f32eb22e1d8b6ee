import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import type { TestContext } from 'vitest';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];
/** Far above what a page needs to show something, with two cores and many tests. */
const SHOWN_MAX_MS = 60_000;

/** Where pictures of pages are put, for people to look at. */
export const SCREENSHOTS = fileURLToPath(new URL('../browser/screenshots/', import.meta.url));

export type Theme = 'light' | 'dark';

export type OpenOptions = {
  /** Where the page comes from; nothing else may be asked for. */
  url: string;
  /** Logged in with it. Null: not logged in. */
  token: string | null;
  theme?: Theme;
  width?: number;
  height?: number;
  /** Where to begin. */
  path?: string;
};

/** A browser of its own, and what its pages did that none of them may do. */
export type TestBrowser = {
  /** A page in a context of its own: nobody else's session, theme or stream. */
  open: (options: OpenOptions) => Promise<Page>;
  /** Another tab beside a page that was opened. */
  openBeside: (page: Page) => Promise<Page>;
  /**
   * After each test: closes all pages; fails when one broke, asked another host for something, or opened a dialog. What the
   * pages of a test that failed looked like is in SCREENSHOTS.
   */
  closePages: (test: TestContext) => Promise<void>;
  close: () => Promise<void>;
};

/** Starts Chromium; one per test file. */
export async function createBrowser(): Promise<TestBrowser> {
  const browser = await chromium.launch({
    executablePath: process.env.UWF_TEST_CHROMIUM ?? findChromium(),
    // Chromium refuses to sandbox itself as root, as it runs in containers.
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  });
  const contexts = new Set<BrowserContext>();
  const foreign: string[] = [];
  const faults: string[] = [];

  function listen(context: BrowserContext, origin: string): void {
    context.on('request', (request) => {
      if (new URL(request.url()).origin !== origin) foreign.push(request.url());
    });
    context.on('weberror', (error) => faults.push(`threw ${error.error().stack}`));
    context.on('dialog', (dialog) => {
      faults.push(`opened a dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
  }

  return {
    open: async ({ url, token, theme = 'light', width = 1280, height = 900, path = '/' }) => {
      const context = await newContext(browser, { url, theme, width, height });
      contexts.add(context);
      listen(context, url);
      if (token !== null) {
        const answer = await context.request.post(`${url}/api/session`, { data: { token } });
        if (!answer.ok()) throw new Error(`no session: ${answer.status()} ${await answer.text()}`);
      }
      const page = await context.newPage();
      await page.goto(path);
      return page;
    },
    openBeside: (page) => page.context().newPage(),
    closePages: async ({ task }) => {
      if (task.result?.state === 'fail') {
        const pages = [...contexts].flatMap((context) => context.pages());
        const name = task.name.replaceAll(/\W+/g, '-');
        for (const [index, page] of pages.entries())
          await page.screenshot({ path: join(SCREENSHOTS, `failed-${name}-${index + 1}.png`) });
      }
      await Promise.all([...contexts].map((context) => context.close()));
      contexts.clear();
      const found = [...faults, ...foreign.map((url) => `asked for ${url}`)];
      faults.length = 0;
      foreign.length = 0;
      if (found.length > 0) throw new Error(`a page\n${found.join('\n')}`);
    },
    close: () => browser.close(),
  };
}

async function newContext(
  browser: Browser,
  { url, theme, width, height }: { url: string; theme: Theme; width: number; height: number },
): Promise<BrowserContext> {
  const context = await browser.newContext({
    baseURL: url,
    colorScheme: theme,
    viewport: { width, height },
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
    reducedMotion: 'reduce',
  });
  context.setDefaultTimeout(SHOWN_MAX_MS);
  return context;
}

function findChromium(): string {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const found = folders
    .flatMap((folder) => NAMES.map((name) => join(folder, name)))
    .find(isExecutable);
  if (found === undefined)
    throw new Error(`none of ${NAMES.join(', ')} is on PATH; set UWF_TEST_CHROMIUM to one`);
  return found;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    // not there, or not for us: the next place may have it
    return false;
  }
}
