import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createFleet, type Fleet, type FleetNode } from '../gateway/fleet.js';
import { createBrowser, type TestBrowser } from '../support/browser.js';
import { start, untilStatus } from '../support/threads.js';
import {
  BROWSER_TEST_MAX_MS,
  threadPath,
  untilShown,
  untilThreadIs,
  untilTitled,
} from './pages.js';

/** Sets `window.pwned` or fetches something, if anything of it is taken for more than text. */
const HTML =
  '<img src="https://evil.example/a.png" onerror="window.pwned=1"><script>window.pwned=1</script><svg onload="window.pwned=1"></svg>';
const MARKDOWN = `# Heading <b onclick="window.pwned=1">bold</b>

${HTML}

<iframe src="https://evil.example/frame"></iframe>
<form action="https://evil.example/form"><button>send</button></form>
<style>body { display: none }</style>
<a href="javascript:window.pwned=1">as html</a>

[as javascript](javascript:window.pwned=1) [with case](JaVaScRiPt:window.pwned=1) [with a tab](java&#9;script:window.pwned=1)
[as data](data:text/html,<script>window.pwned=1</script>) [as a path](/api/session) [of the web](https://evil.example/honest)
<javascript:window.pwned=1> [named][ref]

![remote](https://evil.example/b.png "title") ![](data:image/svg+xml,<svg/onload=window.pwned=1>) ![by path](/icon.svg)

[ref]: javascript:window.pwned=1
`;
/** What Markdown may come to. */
const ALLOWED_TAGS =
  /^(div|p|a|span|em|strong|code|pre|ul|ol|li|br|hr|blockquote|table|thead|tbody|tr|th|td|del)$/;

describe('text of models', { timeout: BROWSER_TEST_MAX_MS }, () => {
  let fleet: Fleet;
  let node: FleetNode;
  let browser: TestBrowser;
  let id: string;

  beforeAll(async () => {
    [fleet, browser] = await Promise.all([createFleet(), createBrowser()]);
    node = await fleet.add({ name: 'alpha' });
    const { cwd } = node.machine;
    const text = join(cwd, 'hostile.md');
    writeFileSync(text, MARKDOWN);
    const meta = join(cwd, 'meta.json');
    writeFileSync(meta, JSON.stringify({ $status: 'ok', said: HTML, [HTML]: [MARKDOWN] }));
    const file = join(cwd, 'hostile.yaml');
    writeFileSync(
      file,
      JSON.stringify({
        name: 'hostile',
        description: HTML,
        roles: {
          says: { description: HTML, run: `cat "${text}"; echo; cat "${meta}"` },
          lives: {
            description: MARKDOWN,
            run: `cat "${text}" >&2; cat "${text}"; until [ -e "${cwd}/over" ]; do sleep 0.05; done`,
          },
        },
        graph: {
          $START: { _: { role: 'says', prompt: HTML } },
          says: { ok: { role: 'lives', prompt: MARKDOWN } },
          lives: { ok: { role: '$END', prompt: HTML } },
        },
      }),
    );
    await node.machine.json(['workflow', 'add', file]);
    id = await start(node.machine, 'hostile', '--prompt', MARKDOWN);
  }, BROWSER_TEST_MAX_MS);
  afterEach((test) => browser.closePages(test));
  afterAll(async () => {
    await browser.close();
    await fleet.end();
  }, BROWSER_TEST_MAX_MS);

  const open = (path: string) =>
    browser.open({ url: fleet.gateway.url, token: fleet.gateway.key, path, height: 3_000 });

  const letGo = () => writeFileSync(join(node.machine.cwd, 'over'), '');

  async function expectInert(page: Page): Promise<void> {
    expect(await page.evaluate('window.pwned')).toBeUndefined();
    const found = await page.evaluate<string[]>(
      `[...document.querySelectorAll('main :is(script, iframe, object, embed, form, style, img), main .prose-calm svg')].map((one) => one.outerHTML)`,
    );
    expect(found).toEqual([]);
    const handlers = await page.evaluate<string[]>(
      `[...document.querySelectorAll('main *')].flatMap((one) => one.getAttributeNames()).filter((name) => name.startsWith('on'))`,
    );
    expect(handlers).toEqual([]);
    const links = await page.evaluate<string[]>(
      `[...document.querySelectorAll('main a')].map((one) => one.href)`,
    );
    expect(links.filter((href) => !/^(https?|mailto):/.test(href))).toEqual([]);
  }

  it('is inert while it comes, when it is there, and as a result', async () => {
    const page = await open(threadPath('alpha', id));
    const speaks = page.getByRole('region', { name: 'What the step in flight says' });
    await untilShown(speaks.getByText('as javascript'));
    const card = page.getByRole('article', { name: /^1 says/ });
    const prose = card.locator('.prose-calm');
    await untilShown(prose);
    await expectInert(page);

    const tags = await page.evaluate<string[]>(
      `[...document.querySelector('.prose-calm').querySelectorAll('*')].map((one) => one.localName)`,
    );
    expect(tags.filter((tag) => !ALLOWED_TAGS.test(tag))).toEqual([]);
    const links = await prose.getByRole('link').all();
    expect(links.length).toBeGreaterThan(1);
    for (const link of links) {
      expect(await link.getAttribute('href')).toMatch(/^https:\/\/evil\.example\//);
      expect(await link.getAttribute('target')).toBe('_blank');
      expect(await link.getAttribute('rel')).toMatch(/noopener noreferrer/);
    }
    for (const words of ['as javascript', 'with case', 'with a tab', 'as data', 'as a path'])
      await prose.getByText(words, { exact: false }).first().click();
    await card.getByRole('button', { name: 'As written' }).click();
    await untilShown(card.getByText('<script>window.pwned=1</script>').first());
    await expectInert(page);

    letGo();
    await untilThreadIs(page, 'completed');
    await untilShown(page.getByText('Asked for'));
    await page.getByText('Asked for').click();
    await untilShown(page.getByRole('article', { name: /^2 lives/ }).locator('.prose-calm'));
    await expectInert(page);
    expect(page.context().pages()).toHaveLength(1);
    expect(page.url()).toContain(id);
  });

  it('is inert in lists, in what a workflow says of itself, and in the dialog that starts it', async () => {
    letGo();
    await untilStatus(node.machine, id, 'completed');
    for (const path of ['/threads', '/nodes/alpha', '/nodes/alpha/workflows']) {
      const page = await open(path);
      await untilShown(page.getByRole('link').filter({ hasText: 'hostile' }));
      await expectInert(page);
    }
    const page = await open('/nodes/alpha/workflows/hostile');
    await untilTitled(page, 'hostile');
    for (const summary of await page.locator('main summary').all()) await summary.click();
    await expectInert(page);
    await page.getByRole('main').getByRole('button', { name: 'Start', exact: true }).click();
    await untilShown(page.getByRole('dialog').getByText(HTML.slice(0, 30)).first());
    await expectInert(page);
  });

  it('could not run as a script either: the policy of the page forbids it', async () => {
    const page = await open('/');
    await untilTitled(page, 'Home');
    const answer = await page.request.get('/');
    const policy = answer.headers()['content-security-policy'] ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/script-src[^;]*unsafe/);
    expect(answer.headers()['x-content-type-options']).toBe('nosniff');
    const blocked = await page.evaluate<string[]>(`new Promise((resolve) => {
      const blocked = [];
      addEventListener('securitypolicyviolation', ({ effectiveDirective }) => {
        blocked.push(effectiveDirective);
        if (blocked.length === 2) resolve(blocked.sort());
      });
      const script = document.createElement('script');
      script.textContent = 'window.pwned = 1';
      document.body.append(script);
      const button = document.createElement('button');
      button.setAttribute('onclick', 'window.pwned = 1');
      document.body.append(button);
      button.click();
    })`);
    expect(blocked).toEqual(['script-src-attr', 'script-src-elem']);
    expect(await page.evaluate('window.pwned')).toBeUndefined();
  });
});
