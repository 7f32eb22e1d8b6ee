import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createBrowser, type TestBrowser } from '../support/browser.js';
import { type Service, startService, untilSaid } from '../support/service.js';
import { createMachine, type Machine } from '../support/uwf.js';
import {
  BROWSER_TEST_MAX_MS,
  startThread,
  untilLive,
  untilShown,
  untilThreadIs,
  untilTitled,
} from './pages.js';

const UWF = fileURLToPath(new URL('../../agent-node/bin/uwf.js', import.meta.url));

describe('the page of `uwf serve`', { timeout: BROWSER_TEST_MAX_MS }, () => {
  let machine: Machine;
  let service: Service;
  let browser: TestBrowser;
  let url: string;

  beforeAll(async () => {
    browser = await createBrowser();
    machine = createMachine();
    const args = ['serve', '--port', '0', '--name', 'here'];
    service = startService(UWF, args, { cwd: machine.cwd, env: machine.env });
    url = (await untilSaid(service, 'stdout', /^(http:\/\/\S+)\n/))[1]!.replace(/\/$/, '');
    await untilSaid(service, 'stdout', /token file/);
  }, BROWSER_TEST_MAX_MS);
  afterEach((test) => browser.closePages(test));
  afterAll(async () => {
    await browser.close();
    await service.stop();
    await machine.dispose();
  }, BROWSER_TEST_MAX_MS);

  it('logs in with its token, starts demo on its one machine and shows it to its end', async () => {
    const page = await browser.open({ url, token: null });
    await untilShown(page.getByLabel('Token'));
    await page
      .getByLabel('Token')
      .fill(readFileSync(join(machine.root, 'serve.token'), 'utf8').trim());
    await page.getByRole('button', { name: 'Log in' }).click();
    await untilTitled(page, 'Home');
    await untilLive(page);
    await startThread(page, { workflow: 'demo', node: 'here', prompt: 'On one machine.' });
    await untilThreadIs(page, 'completed');
    await page.reload();
    await untilThreadIs(page, 'completed');
    await page.goto('/nodes');
    await untilShown(page.getByRole('main').getByRole('link', { name: /^here/ }));
    const policy = (await page.request.get('/')).headers()['content-security-policy'];
    expect(policy).toContain("default-src 'none'");
  });
});
