import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isProblem } from '@uncaged/protocol/problem';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createPage } from './create-page.js';

async function serve(files: Record<string, string>): Promise<(path: string) => Promise<Response>> {
  const root = mkdtempSync(join(tmpdir(), 'uwf-page-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  mkdirSync(join(root, 'assets'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text);
  const listener = createPage(root, (error) =>
    Response.json({ detail: error.message }, { status: isProblem(error) ? error.status : 500 }),
  );
  const server = createServer((request, response) => void listener(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return (path) => fetch(`http://127.0.0.1:${port}${path}`, { headers: { connection: 'close' } });
}

const PAGE = { 'index.html': '<!doctype html>page', 'assets/a-1.js': 'run()' };

describe('the page', () => {
  it('is given for each of its views, and asked for anew', async () => {
    const get = await serve(PAGE);
    for (const path of ['/', '/threads?status=running', '/nodes/a/threads/01J']) {
      const response = await get(path);
      expect(await response.text()).toBe(PAGE['index.html']);
      expect(response.headers.get('content-type')).toMatch(/^text\/html/);
      expect(response.headers.get('cache-control')).toBe('no-cache');
    }
  });

  it('has files that are kept, and none that are not there', async () => {
    const get = await serve(PAGE);
    const script = await get('/assets/a-1.js');
    expect(await script.text()).toBe('run()');
    expect(script.headers.get('content-type')).toMatch(/javascript/);
    expect(script.headers.get('cache-control')).toContain('immutable');
    const missing = await get('/assets/old-2.js');
    expect([missing.status, missing.headers.get('cache-control')]).toEqual([404, 'no-store']);
  });

  it('is sent with a policy that lets no script run but its own, also where there is nothing', async () => {
    const get = await serve(PAGE);
    for (const path of ['/', '/assets/a-1.js', '/none.js']) {
      const policy = (await get(path)).headers.get('content-security-policy') ?? '';
      expect(policy).toContain("script-src 'self';");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).toContain("default-src 'none'");
    }
  });

  it('says so when it is not built', async () => {
    const get = await serve({});
    const response = await get('/');
    expect(response.status).toBe(404);
    expect(await response.text()).toContain('not built');
  });
});
