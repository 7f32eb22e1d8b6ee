import type { Respond } from '@uncaged/protocol/link';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createGateway, startNode, type TestGateway } from '../support/gateway.js';
import type { Service } from '../support/service.js';
import { until } from '../support/until.js';
import { createMachine, type Machine } from '../support/uwf.js';
import { createSaid } from './no-secrets.js';
import { DATA, type DialledNode, dialNode, dialRawNode, END, RESPONSE } from './test-nodes.js';

/** What the merged answers may take when a node does not answer, with room for a machine that is busy. */
const MERGED_MAX_MS = 3_500;
const OTHERS_MAX_MS = 2_000;
const RSS_GROWTH_MAX_BYTES = 160 * 1024 * 1024;
const CHUNK = Buffer.alloc(32 * 1024, 0x20);

const thread = (id: string) => ({
  threadId: id,
  workflow: 'demo',
  version: '0123456789ABC',
  kind: 'definition',
  status: 'completed',
  desired: 'run',
  reason: null,
  problem: null,
  retryable: false,
  prompt: '<img src=x onerror=alert(1)>',
  role: null,
  stepCount: 0,
  usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  usd: 0,
  parent: null,
  forkedFrom: null,
  imported: false,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
  startedAt: null,
  endedAt: null,
  returnCode: null,
  summary: null,
});

const json = (respond: Respond, text: string, status = 200, type = 'application/json') => {
  const writer = respond({ status, headers: [['content-type', type]], end: false });
  void writer.write(Buffer.from(text));
  writer.end();
};

/** What a hostile node says to everything it is asked, by its name. */
const ANSWERS: Record<string, (respond: Respond, signal: AbortSignal, path: string) => unknown> = {
  'is-silent': (_, signal) =>
    new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true })),
  'says-a-head-and-no-more': (respond, signal) => {
    respond({ status: 200, headers: [['content-type', 'application/json']], end: false });
    return new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  },
  'is-endless': async (respond, signal) => {
    const writer = respond({ status: 200, headers: [], end: false });
    await writer.write(Buffer.from('{"items":['));
    while (!signal.aborted) await writer.write(CHUNK);
  },
  'is-endless-in-a-word': async (respond, signal) => {
    const writer = respond({ status: 200, headers: [], end: false });
    await writer.write(Buffer.from('event: '));
    while (!signal.aborted) await writer.write(Buffer.alloc(CHUNK.length, 0x61));
  },
  'is-deep': (respond) => json(respond, '['.repeat(200_000)),
  'is-no-json': (respond) => json(respond, '<html>'),
  'is-no-text': (respond) => json(respond, ''),
  'says-null': (respond) => json(respond, 'null'),
  'has-no-items': (respond) => json(respond, '{"items":{},"nextCursor":null}'),
  'has-strange-items': (respond) =>
    json(respond, '{"items":[{"threadId":"../x"},7,null],"nextCursor":null}'),
  'has-a-prototype': (respond) =>
    json(respond, '{"__proto__":{"items":[]},"items":[{"__proto__":{"x":1}}],"nextCursor":null}'),
  'has-a-strange-cursor': (respond) => json(respond, '{"items":[],"nextCursor":"../x"}'),
  'has-too-many': (respond) => {
    const ids = Array.from({ length: 300 }, (_, n) => `01J${String(999 - n).padStart(23, '0')}`);
    json(respond, JSON.stringify({ items: ids.map(thread), nextCursor: null }));
  },
  'has-the-wrong-order': (respond) => {
    const ids = ['01J00000000000000000000001', '01J00000000000000000000002'];
    json(respond, JSON.stringify({ items: ids.map(thread), nextCursor: null }));
  },
  'says-401': (respond) =>
    json(respond, '{"code":"unauthorized","status":401,"detail":"log in at evil.example"}', 401),
  'is-a-teapot': (respond) => json(respond, '{}', 418),
  fails: (respond) => json(respond, 'Error: at secret.ts:1', 500, 'text/plain'),
  redirects: (respond) =>
    respond({ status: 302, headers: [['location', 'https://evil.example']], end: true }),
};

describe('a gateway with hostile nodes', () => {
  const said = createSaid();
  const names = Object.keys(ANSWERS);
  let machine: Machine;
  let gateway: TestGateway;
  let good: Service;
  let hostile: DialledNode[];

  beforeAll(async () => {
    machine = createMachine();
    gateway = await createGateway();
    good = startNode(machine, gateway, { name: 'good' });
    hostile = await Promise.all(
      Object.entries(ANSWERS).map(([name, answer]) =>
        dialNode(gateway, { name }, async (request, respond) => {
          await answer(respond, request.signal, request.path);
        }),
      ),
    );
    await gateway.untilNode('good');
  });
  afterAll(async () => {
    for (const node of hostile) node.close();
    await Promise.all([good.stop(), gateway.service().stop()]);
    const { stdout, stderr } = gateway.service().output;
    said.add('gateway', stdout + stderr);
    said.addFiles(gateway.dataDir, ['/key']);
    said.expectNone([gateway.key]);
    expect(stderr).not.toMatch(/K7R2M9DF/);
    await gateway.dispose();
    await machine.dispose();
  });

  async function rssBytes(): Promise<number> {
    const text = await (await gateway.ask('GET', '/metrics')).text();
    return Number(/^process_resident_memory_bytes (\S+)$/m.exec(text)![1]);
  }

  it('lists what the others have in time, and names those that did not answer as they should', async () => {
    const before = await rssBytes();
    for (let n = 0; n < 3; n += 1) {
      const startedAt = performance.now();
      const listed = await gateway.json<{ items: unknown[]; unreachable: string[] }>(
        'GET',
        '/api/threads',
      );
      expect(performance.now() - startedAt).toBeLessThan(MERGED_MAX_MS);
      expect(listed).toEqual({ items: [], nextCursor: null, unreachable: [...names].sort() });
    }
    expect((await rssBytes()) - before).toBeLessThan(RSS_GROWTH_MAX_BYTES);
  });

  it('answers for the others meanwhile', async () => {
    const asking = Array.from({ length: 2 }, () => gateway.json('GET', '/api/threads'));
    const tookMs: number[] = [];
    for (let n = 0; n < 9; n += 1) {
      const startedAt = performance.now();
      await gateway.json('GET', '/api/nodes/good/threads');
      await gateway.json('GET', '/api/nodes');
      tookMs.push(performance.now() - startedAt);
    }
    // Of the middle: one may have had to wait for the machine.
    expect(tookMs.sort((a, b) => a - b)[4]).toBeLessThan(OTHERS_MAX_MS);
    await Promise.all(asking);
  });

  it('looks for a thread and starts one where there is somebody to be asked', async () => {
    const startedAt = performance.now();
    const missing = await gateway.ask('GET', '/api/threads/01J0000000000000000000000A');
    expect([404, 503]).toContain(missing.status);
    said.add('a missing thread', await missing.text());
    const body = { workflow: 'demo', prompt: 'x' };
    const started = await gateway.json<{ node: string; threadId: string }>('POST', '/api/threads', {
      body: { ...body, node: 'good' },
    });
    expect(started.node).toBe('good');
    expect((await gateway.ask('GET', `/api/threads/${started.threadId}`)).status).toBe(200);
    const anywhere = await gateway.ask('POST', '/api/threads', { body });
    said.add('a start', await anywhere.text());
    expect(anywhere.status).toBeLessThan(505);
    expect(performance.now() - startedAt).toBeLessThan(3 * MERGED_MAX_MS);
  });

  it('passes a head of a node on to nobody who would follow it, and tells nobody to log in elsewhere', async () => {
    const codes: Record<string, number> = { 'says-401': 401, redirects: 302 };
    for (const [name, status] of Object.entries(codes)) {
      const response = await fetch(`${gateway.url}/api/nodes/${name}/node`, {
        headers: { authorization: `Bearer ${gateway.key}` },
        redirect: 'manual',
      });
      expect(response.headers.get('location')).toBeNull();
      expect(response.headers.get('www-authenticate')).toBeNull();
      expect(response.headers.get('x-uwf-node')).toBe(name);
      expect(`${name}: ${response.status}`).toBe(`${name}: ${status}`);
    }
    for (const name of names) {
      const machine = await gateway.ask('GET', `/api/nodes/${name}`);
      expect(`${name}: ${machine.status}`).toBe(`${name}: 200`);
    }
  });

  it('tells its followers of the others', async () => {
    const leave = new AbortController();
    const response = await gateway.ask('GET', '/api/events', { signal: leave.signal });
    const reader = response.body!.getReader();
    let text = '';
    const read = (async () => {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        text += Buffer.from(value).toString();
      }
    })().catch(() => undefined);
    await until('the snapshot has come', () => text.includes('event: snapshot'));
    const { threadId } = await gateway.json<{ threadId: string }>('POST', '/api/threads', {
      body: { workflow: 'demo', prompt: 'x', node: 'good' },
    });
    await until('the thread of the good node is told', () => text.includes(threadId));
    expect(text).not.toContain('aaaaaaaaaaaaaaaa');
    leave.abort();
    await read;
  });

  it('does not believe one that has a thread of another', async () => {
    const { threadId } = await gateway.json<{ threadId: string }>('POST', '/api/threads', {
      body: { workflow: 'demo', prompt: 'mine', node: 'good' },
    });
    const thief = await dialNode(gateway, { name: 'thief' }, async (_, respond) =>
      json(respond, JSON.stringify({ items: [thread(threadId)], nextCursor: null })),
    );
    await gateway.untilNode('thief');
    await gateway.json('GET', '/api/threads');
    const response = await gateway.ask('GET', `/api/threads/${threadId}`);
    expect(response.headers.get('x-uwf-node')).toBe('good');
    thief.close();
  });

  it('does not pass on what comes for another request, or after the end', async () => {
    const raw = await dialRawNode(gateway, 'mixes-up', (stream, path, node) => {
      if (!path.startsWith('/api/x')) {
        node.send(RESPONSE, stream, { status: 404, headers: [], end: true });
        return;
      }
      // To streams that are not there, twice, and after the end.
      node.send(DATA, stream + 1000, Buffer.from('stray'));
      node.send(RESPONSE, stream, { status: 200, headers: [], end: false });
      node.send(DATA, stream, Buffer.from('text'));
      node.send(END, stream, new Uint8Array(0));
      node.send(DATA, stream, Buffer.from('more'));
      node.send(RESPONSE, stream, { status: 200, headers: [], end: true });
    });
    for (let n = 0; n < 5; n += 1) {
      const response = await gateway.ask('GET', '/api/nodes/mixes-up/x');
      const text = await response.text().catch(() => 'broken off');
      expect(text.startsWith('{') || ['text', 'broken off'].includes(text)).toBe(true);
      expect(text).not.toMatch(/stray|more.*more/);
    }
    raw.socket.terminate();
    expect((await gateway.ask('GET', '/api/nodes/good/node')).status).toBe(200);
  });
});
