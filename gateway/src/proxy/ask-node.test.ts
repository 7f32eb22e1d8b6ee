import type { RequestHandler } from '@uncaged/protocol/link';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { askNode } from './ask-node.js';
import { ANSWER_MAX_BYTES } from './limits.js';
import { answering, createTestNode, problemJson } from './test-node.test-data.js';

const QUESTION = {
  path: '/api/x?a=b',
  principal: { role: 'viewer', name: 'ann' },
  schema: z.object({ a: z.number() }),
  limitMs: 5000,
} as const;

const text =
  (status: number, body: string | Uint8Array): RequestHandler =>
  async (_, respond) => {
    const writer = respond({ status, headers: [], end: false });
    await writer.write(Buffer.from(body));
    writer.end();
  };

describe('asking a node', () => {
  it('gives what the schema says, asked on behalf of whoever asks', async () => {
    const node = await createTestNode({
      onRequest: answering((_, body) => ({ status: 201, json: { a: 1, more: body } })),
    });
    expect(await askNode(node.link, QUESTION)).toEqual({ a: 1 });
    const schema = z.object({ more: z.unknown() });
    const headers: [string, string][] = [['idempotency-key', 'k']];
    expect(await askNode(node.link, { ...QUESTION, schema, headers, body: { b: 'é' } })).toEqual({
      more: { b: 'é' },
    });
    const [get, post] = node.asked;
    expect(get).toMatchObject({ method: 'GET', path: '/api/x?a=b', body: null });
    expect(get!.headers).toContainEqual(['x-uwf-principal', 'viewer ann']);
    expect(post!.method).toBe('POST');
    expect(post!.headers).toEqual(
      expect.arrayContaining([
        ['idempotency-key', 'k'],
        ['content-type', 'application/json'],
      ]),
    );
  });

  it.each([
    ['of another form', text(200, '{"a":"1"}')],
    ['that is no JSON', text(200, '<p>')],
    ['that is not UTF-8', text(200, new Uint8Array([0x22, 0xff, 0x22]))],
    ['that is empty', text(200, '')],
    ['that is nested without end', text(200, '['.repeat(1_000_000))],
    ['that is a redirection', text(302, '{"a":1}')],
    ['that is a failure and no problem', text(500, '{"a":1}')],
    ['with a code nobody knows', answering(() => problemJson(400, 'on-fire'))],
    ['that says who asks is not known', answering(() => problemJson(401, 'unauthorized'))],
    ['that is broken off', async () => Promise.reject(new Error('on purpose'))],
  ] satisfies [string, RequestHandler][])('does not take an answer %s', async (_, onRequest) => {
    const node = await createTestNode({ onRequest });
    await expect(askNode(node.link, QUESTION)).rejects.toMatchObject({ code: 'node-failed' });
    expect(node.link.mux.openStreams()).toBe(0);
  });

  it('does not read an answer without end', async () => {
    let sent = 0;
    const node = await createTestNode({
      async onRequest({ signal }, respond) {
        const writer = respond({ status: 200, headers: [], end: false });
        while (!signal.aborted) {
          await writer.write(new Uint8Array(100_000)).catch(() => undefined);
          sent += 100_000;
        }
      },
    });
    await expect(askNode(node.link, QUESTION)).rejects.toMatchObject({ code: 'node-failed' });
    expect(sent).toBeLessThan(2 * ANSWER_MAX_BYTES);
  });

  it('throws the problem of the node, with faults that are as they should be and without others', async () => {
    const faults = (errors: unknown) => ({
      status: 422,
      json: { ...(problemJson(422, 'invalid-inputs', 'no').json as object), errors },
    });
    let errors: unknown = [{ path: ['a', 1], message: 'b' }];
    const node = await createTestNode({ onRequest: answering(() => faults(errors)) });
    await expect(askNode(node.link, QUESTION)).rejects.toMatchObject({
      code: 'invalid-inputs',
      message: 'no',
      details: { errors },
    });
    errors = [{ a: { b: [[[]]] } }];
    await expect(askNode(node.link, QUESTION)).rejects.toMatchObject({
      code: 'invalid-inputs',
      details: {},
    });
  });

  it('waits no longer than it is told, before the head and behind it', async () => {
    const node = await createTestNode({
      async onRequest({ path, signal }, respond) {
        if (path === '/head') respond({ status: 200, headers: [], end: false });
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
      },
    });
    for (const path of ['/', '/head'])
      await expect(askNode(node.link, { ...QUESTION, path, limitMs: 20 })).rejects.toMatchObject({
        code: 'node-timeout',
      });
    const gone = new AbortController();
    const asking = askNode(node.link, { ...QUESTION, signal: gone.signal });
    gone.abort();
    await expect(asking).rejects.toMatchObject({ code: 'cancelled' });
    expect(node.link.mux.openStreams()).toBe(0);
  });
});
