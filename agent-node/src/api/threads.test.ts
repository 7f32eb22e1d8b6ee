import { appendFileSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { routes } from '@uncaged/protocol/api';
import type { ThreadId } from '@uncaged/protocol/ids';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { threadLogFile } from '../executor/index.js';
import {
  addThread,
  claim,
  commitStep,
  endThread,
  openTestApi,
  pretendWorker,
  startStep,
} from './test-api.js';

describe('starting a thread', () => {
  it('gives it a directory of its own when none is named', async () => {
    const { ask, store, root } = await openTestApi();
    pretendWorker(store);
    const response = await ask('POST', '/api/threads', { workflow: 'demo', prompt: 'look' });
    expect(response.status).toBe(201);
    const { threadId } = (await response.json()) as { threadId: string };
    const row = store.threads.get(threadId)!;
    expect(row).toMatchObject({ workspace: join(root, 'work', threadId), status: 'queued' });
    expect(existsSync(row.workspace)).toBe(true);
    expect(store.nodes.get(row.start)).toMatchObject({ payload: { workspace: null } });
    const shown = await ask('GET', `/api/threads/${threadId}`);
    expect(await shown.json()).toMatchObject({ workspace: row.workspace, workspaceMade: true });
  });

  it('takes a workspace under config.workspaceRoots, and no other', async () => {
    const { ask, store, root } = await openTestApi();
    pretendWorker(store);
    for (const name of ['open/here', 'open-not', 'secret'])
      mkdirSync(join(root, name), { recursive: true });
    symlinkSync(join(root, 'secret'), join(root, 'open', 'way-out'));
    const start = (workspace: string) =>
      ask('POST', '/api/threads', { workflow: 'demo', workspace });
    expect((await start(join(root, 'open'))).status).toBe(422);
    writeFileSync(join(root, 'workflow.yaml'), `config:\n  workspaceRoots: [${root}/open]\n`);
    for (const path of ['open', 'open/here', 'secret/../open/here'])
      expect(`${path} ${(await start(join(root, path))).status}`).toBe(`${path} 201`);
    const refused = ['open-not', 'secret', 'open/way-out', 'open/missing', 'open/../secret', ''];
    for (const path of [...refused.map((name) => `${root}/${name}`), 'open', '/', '/a\0b']) {
      const response = await start(path);
      expect(`${path} ${response.status}`).toBe(`${path} 422`);
      expect(await response.json()).toMatchObject({ code: 'invalid-workspace' });
    }
    expect((await start('')).status).toBe(400);
  });

  it('takes a root by any name, and a node tells the real one, as threads do', async () => {
    const { ask, store, root } = await openTestApi();
    pretendWorker(store);
    mkdirSync(join(root, 'there', 'shop'), { recursive: true });
    symlinkSync(join(root, 'there'), join(root, 'link'));
    const roots = [join(root, 'link'), join(root, 'missing')];
    writeFileSync(join(root, 'workflow.yaml'), `config:\n  workspaceRoots: [${roots}]\n`);
    const workspace = join(root, 'link', 'shop');
    const started = await ask('POST', '/api/threads', { workflow: 'demo', workspace });
    const { threadId } = (await started.json()) as { threadId: ThreadId };
    expect(store.threads.get(threadId)?.workspace).toBe(join(root, 'there', 'shop'));
    const shown = await ask('GET', `/api/threads/${threadId}`);
    expect(await shown.json()).toMatchObject({ workspaceMade: false });
    expect(await (await ask('GET', '/api/node')).json()).toMatchObject({
      workspaceRoots: [join(root, 'there'), join(root, 'missing')],
    });
  });

  it('happens once for a key, however often it is asked for', async () => {
    const { ask, store } = await openTestApi();
    pretendWorker(store);
    const start = (prompt: string, key: string) =>
      ask('POST', '/api/threads', { workflow: 'demo', prompt }, { 'idempotency-key': key });
    const answers = await Promise.all(['k1', 'k1', 'k2', 'k1'].map((key) => start('a', key)));
    const ids = (await Promise.all(answers.map((answer) => answer.json()))).map(
      (body) => (body as { threadId: string }).threadId,
    );
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    expect(new Set(ids).size).toBe(2);
    expect(ids[1]).toBe(ids[0]);
    expect(ids[3]).toBe(ids[0]);
    const conflict = await start('b', 'k1');
    expect(conflict.status).toBe(409);
    expect(await conflict.json()).toMatchObject({ code: 'idempotency-conflict' });
    expect(store.threads.list({ limit: 10 })).toHaveLength(2);
    const found = await (await ask('GET', '/api/threads?key=k2')).json();
    expect(found).toMatchObject({ items: [{ threadId: ids[2] }], nextCursor: null });
    expect(await (await ask('GET', '/api/threads?key=k3')).json()).toMatchObject({ items: [] });
    expect((await start('a', 'ü')).status).toBe(400);
    expect((await start('a', 'x'.repeat(201))).status).toBe(400);
  });

  it.each([
    [{ workflow: 'no-such' }, 404, 'workflow-not-found'],
    [{ workflow: '0000000000000' }, 404, 'version-not-found'],
    [{ workflow: './demo.yaml' }, 400, 'invalid-argument'],
    [{ workflow: '/etc/passwd' }, 400, 'invalid-argument'],
    [{ workflow: '../x' }, 400, 'invalid-argument'],
    [{ prompt: 'x' }, 400, 'invalid-argument'],
    [{ workflow: 'demo', agents: { nobody: 'claude' } }, 400, 'invalid-argument'],
    [{ workflow: 'demo', maxSteps: 0 }, 400, 'invalid-argument'],
    [{ workflow: 'demo', inputs: [] }, 400, 'invalid-argument'],
  ])('of %j is %d %s, and nothing is stored', async (body, status, code) => {
    const { ask, store, root } = await openTestApi();
    const response = await ask('POST', '/api/threads', body);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ code });
    expect(store.threads.list({ limit: 1 })).toEqual([]);
    expect(existsSync(join(root, 'work'))).toBe(false);
  });
});

describe('the list of threads', () => {
  it('comes in pages, newest first, each thread once', async () => {
    const { ask, store } = await openTestApi();
    const ids = Array.from({ length: 7 }, () => addThread(store)).reverse();
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const query = cursor === '' ? '' : `&cursor=${cursor}`;
      const page = routes.listThreads.response.schema.parse(
        await (await ask('GET', `/api/threads?limit=3${query}`)).json(),
      );
      expect(page.items.length).toBeGreaterThan(0);
      seen.push(...page.items.map(({ threadId }) => threadId));
      cursor = page.nextCursor;
    }
    expect(seen).toEqual(ids);
  });

  it('can be narrowed down', async () => {
    const { ask, store } = await openTestApi();
    const first = addThread(store, 'paint it');
    claim(store);
    const second = addThread(store, 'sell it');
    const list = async (query: string) => {
      const { items } = (await (await ask('GET', `/api/threads?${query}`)).json()) as {
        items: { threadId: string }[];
      };
      return items.map(({ threadId }) => threadId);
    };
    expect(await list('status=running')).toEqual([first]);
    expect(await list('status=running,queued')).toEqual([second, first]);
    expect(await list('q=sell')).toEqual([second]);
    expect(await list('workflow=demo&status=queued')).toEqual([second]);
    expect(await list('workflow=other')).toEqual([]);
    expect((await ask('GET', '/api/threads?status=sleeping')).status).toBe(400);
  });
});

describe('one thread', () => {
  it('is shown with its steps page by page, its log, and its steps’ texts', async () => {
    const { ask, store, root } = await openTestApi();
    const id = addThread(store, 'paint it');
    const thread = claim(store);
    startStep(store, thread, 1);
    store.write('normal', () =>
      store.steps.fail({
        thread: id,
        seq: 1,
        attempt: 1,
        fence: thread.fence,
        status: 'failed',
        problem: { code: 'timeout', message: 'too slow' },
        endedAt: 20,
      }),
    );
    startStep(store, thread, 1, 2);
    const detail = routes.getThread.response.schema.parse(
      await (await ask('GET', `/api/threads/${id}`)).json(),
    );
    expect(detail).toMatchObject({ prompt: 'paint it', owner: { pid: process.pid } });
    const path = `/api/threads/${id}/steps?limit=1`;
    const page = routes.listThreadSteps.response.schema.parse(
      await (await ask('GET', path)).json(),
    );
    expect(page).toMatchObject({ items: [{ seq: 1, attempt: 1 }], nextCursor: '1.1' });
    const rest = await (await ask('GET', `${path}&cursor=1.1`)).json();
    expect(rest).toMatchObject({ items: [{ seq: 1, attempt: 2 }], nextCursor: null });

    expect(await (await ask('GET', `/api/threads/${id}/log`)).text()).toBe('');
    const file = threadLogFile(root, thread.version, id);
    mkdirSync(dirname(file), { recursive: true });
    const line = `${JSON.stringify({ tag: '4KNMR2PX', content: 'ü'.repeat(1_000), timestamp: 1 })}\n`;
    appendFileSync(file, line.repeat(100));
    const log = await ask('GET', `/api/threads/${id}/log`);
    expect(log.headers.get('content-type')).toBe('application/x-ndjson');
    expect(await log.text()).toBe(line.repeat(100));
  });

  it('is told to pause, to end, to go on', async () => {
    const { ask, store } = await openTestApi();
    pretendWorker(store);
    const id = addThread(store);
    const order = async (word: string, body?: unknown) => {
      const response = await ask('POST', `/api/threads/${id}/${word}`, body);
      const json = await response.json();
      if (response.status === 202) routes.killThread.response.schema.parse(json);
      return { status: response.status, json };
    };
    expect(await order('pause')).toMatchObject({
      status: 202,
      json: { status: 'queued', desired: 'pause' },
    });
    const thread = claim(store);
    store.write('full', () =>
      store.threads.settle(id, thread.fence, { status: 'paused', reason: 'max-steps' }),
    );
    expect((await order('resume', { maxSteps: -1 })).status).toBe(400);
    expect(await order('resume', { maxSteps: 99 })).toMatchObject({
      status: 202,
      json: { status: 'queued', desired: 'run' },
    });
    expect(store.threads.get(id)?.options.maxSteps).toBe(99);
    expect((await order('retry')).status).toBe(409);
    expect((await ask('DELETE', `/api/threads/${id}`)).status).toBe(409);
    expect(await order('kill')).toMatchObject({
      status: 202,
      json: { status: 'cancelled', desired: 'kill' },
    });
    expect((await order('kill')).status).toBe(409);
    expect((await ask('DELETE', `/api/threads/${id}`)).status).toBe(200);
    expect((await ask('GET', `/api/threads/${id}`)).status).toBe(404);
  });

  it('that somebody runs is told to end without waiting for its owner', async () => {
    const { ask, store } = await openTestApi();
    const id = addThread(store);
    claim(store);
    const response = await ask('POST', `/api/threads/${id}/kill`);
    expect(await response.json()).toEqual({ threadId: id, status: 'running', desired: 'kill' });
  });

  it('can be read while another process writes, and changed once it has written', async () => {
    const { ask, store, root } = await openTestApi();
    const id = addThread(store);
    const other = new Database(join(root, 'store.db'));
    other.exec('BEGIN IMMEDIATE');
    let isChanged = false;
    const change = ask('POST', `/api/threads/${id}/pause`).then((response) => {
      isChanged = true;
      return response;
    });
    for (let count = 0; count < 5; count++)
      expect((await ask('GET', `/api/threads/${id}`)).status).toBe(200);
    expect(isChanged).toBe(false);
    other.exec('COMMIT');
    other.close();
    expect((await change).status).toBe(202);
  });

  it('is not changed, and says so, when the other process does not end', async () => {
    const { ask, store, root } = await openTestApi({ limits: { busyWaitMs: 100 } });
    const id = addThread(store);
    const other = new Database(join(root, 'store.db'));
    other.exec('BEGIN IMMEDIATE');
    const response = await ask('POST', `/api/threads/${id}/pause`);
    other.close();
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('1');
    expect(await response.json()).toMatchObject({ code: 'store-busy' });
  });
});

describe('a step', () => {
  it('is found by its hash; its text comes by ranges', async () => {
    const { ask, store } = await openTestApi();
    addThread(store);
    const thread = claim(store);
    startStep(store, thread, 1);
    const text = `${'0123456789'.repeat(250_000)}end`;
    const hash = commitStep(store, thread, 1, text);
    endThread(store, thread);
    const step = routes.getStep.response.schema.parse(
      await (await ask('GET', `/api/steps/${hash}`)).json(),
    );
    expect(step).toMatchObject({ seq: 1, contentSize: text.length });
    const get = (headers: Record<string, string>, query = '') =>
      ask('GET', `/api/steps/${hash}/content${query}`, undefined, headers);

    const whole = await get({});
    expect(whole.status).toBe(200);
    expect(whole.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(whole.headers.get('content-length')).toBe(String(text.length));
    expect((await whole.text()) === text).toBe(true);

    // Over the border of two pieces.
    const range = await get({ range: 'bytes=1048570-1048585' });
    expect(range.status).toBe(206);
    expect(range.headers.get('content-range')).toBe(`bytes 1048570-1048585/${text.length}`);
    expect(await range.text()).toBe(text.slice(1_048_570, 1_048_586));

    const tail = await get({}, '?tail=5');
    expect(await tail.text()).toBe('89end');
    expect(tail.headers.get('content-range')).toBe(
      `bytes ${text.length - 5}-${text.length - 1}/${text.length}`,
    );
    const outside = await get({ range: `bytes=${text.length}-` });
    expect(outside.status).toBe(416);
    expect(outside.headers.get('content-range')).toBe(`bytes */${text.length}`);

    const etag = whole.headers.get('etag')!;
    expect((await get({ 'if-none-match': etag })).status).toBe(304);
    expect((await get({ range: 'bytes=0-1', 'if-range': '"other"' })).status).toBe(200);
    expect((await get({ range: 'bytes=0-1', 'if-range': etag })).status).toBe(206);
    expect((await get({}, '?tail=0')).status).toBe(400);
    const left = await get({});
    await left.body!.cancel();
  });
});
