import { routes } from '@uncaged/protocol/api';
import { describe, expect, it } from 'vitest';
import { addThread, openTestApi } from './test-api.js';

describe('the store', () => {
  it('is put into, looked at, followed both ways and emptied', async () => {
    const { ask, store } = await openTestApi();
    const put = await ask('POST', '/api/cas', { text: 'kept \ud800' });
    expect(put.status).toBe(201);
    const { hash } = routes.putCas.response.schema.parse(await put.json());
    const got = await ask('GET', `/api/cas/${hash}`);
    expect(routes.getCas.response.schema.parse(await got.json())).toMatchObject({
      type: 'content',
      payload: { text: 'kept \ufffd' },
      refs: [],
    });
    const etag = got.headers.get('etag');
    expect(etag).toBe(`"${hash}"`);
    const again = await ask('GET', `/api/cas/${hash}`, undefined, { 'if-none-match': etag! });
    expect(again.status).toBe(304);

    const start = store.threads.get(addThread(store, 'shared'))!.start;
    const { refs } = store.nodes.get(start)!;
    const refsOf = async (of: string) =>
      routes.getCasRefs.response.schema.parse(
        await (await ask('GET', `/api/cas/${of}/refs`)).json(),
      );
    expect(await refsOf(start)).toEqual({ refs, items: [], nextCursor: null });
    expect(await refsOf(refs[0]!)).toMatchObject({
      refs: [],
      items: [{ hash: start, type: 'start' }],
    });

    const inUse = await ask('DELETE', `/api/cas/${refs[0]}`);
    expect(inUse.status).toBe(409);
    expect(await inUse.json()).toMatchObject({ code: 'in-use' });
    expect((await ask('DELETE', `/api/cas/${hash}`)).status).toBe(200);
    expect((await ask('DELETE', `/api/cas/${hash}`)).status).toBe(404);
  });

  it('is listed in pages, by type where asked', async () => {
    const { ask, store } = await openTestApi();
    for (let n = 0; n < 5; n++) addThread(store, `prompt ${n}`);
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const query = cursor === '' ? '' : `&cursor=${cursor}`;
      const page = routes.listCas.response.schema.parse(
        await (await ask('GET', `/api/cas?limit=4&type=content${query}`)).json(),
      );
      seen.push(...page.items.map(({ hash }) => hash));
      cursor = page.nextCursor;
    }
    expect(new Set(seen).size).toBe(5);
    expect(seen).toEqual(store.nodes.list({ type: 'content', limit: 10 }).map(({ hash }) => hash));
    expect((await ask('GET', '/api/cas?type=nothing')).status).toBe(400);
  });
});

const source = (text: string) => `# a comment
name: hello
description: says hello
roles:
  greet: { run: "echo ${text}" }
graph:
  $START: { _: { role: greet, prompt: go } }
  greet: { ok: { role: $END, prompt: bye } }
`;

describe('the registry', () => {
  it('takes definitions, shows them, goes back and forgets', async () => {
    const { ask, store } = await openTestApi();
    const add = async (text: string) => {
      const response = await ask('POST', '/api/workflows', { source: text, name: 'hello' });
      expect(response.status).toBe(201);
      return routes.addWorkflow.response.schema.parse(await response.json());
    };
    const first = await add(source('one'));
    expect(first).toMatchObject({ name: 'hello', previous: null, change: 'added' });
    const second = await add(source('two'));
    expect(second).toMatchObject({ previous: first.hash, change: 'updated' });
    expect((await add(source('two'))).change).toBe('unchanged');

    const list = routes.listWorkflows.response.schema.parse(
      await (await ask('GET', '/api/workflows')).json(),
    );
    expect(list.items.map(({ name, origin }) => `${name} ${origin}`)).toEqual([
      'demo builtin',
      'hello registry',
    ]);
    const detail = routes.getWorkflow.response.schema.parse(
      await (await ask('GET', '/api/workflows/hello')).json(),
    );
    expect(detail).toMatchObject({ hash: second.hash, history: [{ hash: first.hash }] });
    expect(detail.descriptor.roles).toHaveProperty('greet');
    expect(await (await ask('GET', '/api/workflows/hello/source')).json()).toEqual({
      name: 'hello',
      hash: second.hash,
      source: source('two'),
    });

    const back = await ask('POST', '/api/workflows/hello/rollback');
    expect(await back.json()).toEqual({ name: 'hello', hash: first.hash, previous: second.hash });
    const history = routes.getWorkflowHistory.response.schema.parse(
      await (await ask('GET', '/api/workflows/hello/history')).json(),
    );
    expect(history.items).toMatchObject([
      { hash: first.hash, current: true },
      { hash: second.hash, current: false },
    ]);
    expect((await ask('DELETE', '/api/workflows/hello')).status).toBe(200);
    expect((await ask('GET', '/api/workflows/hello')).status).toBe(404);
    expect((await ask('DELETE', '/api/workflows/demo')).status).toBe(409);
    const events = store.events.after({ seq: 0, limit: 10 }).map(({ type }) => type);
    expect(events).toEqual(Array.from({ length: 4 }, () => 'workflow.changed'));
  });

  it('says what is wrong with a definition, with line and column', async () => {
    const { ask } = await openTestApi();
    const broken = source('x').replace('role: greet', 'role: nobody');
    const refused = await ask('POST', '/api/workflows', { source: broken });
    expect(refused.status).toBe(422);
    expect(await refused.json()).toMatchObject({
      code: 'invalid-definition',
      errors: expect.arrayContaining([expect.objectContaining({ severity: 'error', line: 7 })]),
    });
    const checked = await ask('POST', '/api/workflows/check', { source: broken });
    expect(checked.status).toBe(200);
    const findings = routes.checkWorkflow.response.schema.parse(await checked.json());
    expect(findings).toMatchObject({ ok: false });
    expect(findings.findings.length).toBeGreaterThan(0);
    const fine = await ask('POST', '/api/workflows/check', { source: source('x') });
    expect(await fine.json()).toMatchObject({ ok: true, name: 'hello' });
    const yaml = await ask('POST', '/api/workflows/check', { source: 'a: [\nb: }' });
    expect(await yaml.json()).toMatchObject({ ok: false, name: null });
    const big = await ask('POST', '/api/workflows/check', { source: 'ü'.repeat(600_000) });
    expect(await big.json()).toMatchObject({ findings: [{ code: 'too-large' }] });
  });

  it('refuses a name that is not the file’s', async () => {
    const { ask } = await openTestApi();
    const response = await ask('POST', '/api/workflows', { source: source('x'), name: 'other' });
    expect(response.status).toBe(400);
  });

  it('is not needed to say how the node is', async () => {
    const { ask } = await openTestApi();
    const node = routes.getNode.response.schema.parse(await (await ask('GET', '/api/node')).json());
    expect(node).toMatchObject({
      name: 'test-node',
      labels: { os: 'linux' },
      limits: { threads: 50 },
    });
    expect(node.disk.storeBytes).toBeGreaterThan(4096);
  });
});
