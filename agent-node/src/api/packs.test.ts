import { type ImportLine, PACK_MEDIA_TYPE, routes } from '@uncaged/protocol/api';
import { describe, expect, it } from 'vitest';
import { packOf, threadWith } from '../pack/test-packs.js';
import { ALL, openTestApi, type TestApi } from './test-api.js';

const TYPE = { 'content-type': PACK_MEDIA_TYPE };
const UNKNOWN = '01ARZ3NDEKTSV4RRFFQ69G5FAV';

/** The lines of an answer, each as the API says it is. */
async function linesOf(response: Response): Promise<ImportLine[]> {
  expect(response.headers.get('content-type')).toBe('application/x-ndjson');
  const text = await response.text();
  return text
    .trimEnd()
    .split('\n')
    .map((line) => routes.importPack.response.schema.parse(JSON.parse(line)));
}

/** In pieces, no faster than they are asked for; counts them. */
function streamed(bytes: Uint8Array, size = 1000) {
  let at = 0;
  const seen = { pieces: 0 };
  const body = new ReadableStream<Uint8Array>(
    {
      pull: (controller) => {
        if (at >= bytes.length) return controller.close();
        controller.enqueue(bytes.slice(at, at + size));
        at += size;
        seen.pieces += 1;
      },
    },
    { highWaterMark: 0 },
  );
  return { body, seen };
}

function upload(test: TestApi, body: RequestInit['body'], headers: Record<string, string> = TYPE) {
  const init = { method: 'POST', headers, body, duplex: 'half' } as RequestInit;
  return Promise.resolve(test.api.app.request('/api/packs', init));
}

async function exportedBy({ ask }: TestApi, id: string): Promise<Buffer> {
  const response = await ask('GET', `/api/packs/${id}`);
  expect(response.status).toBe(200);
  return Buffer.from(await response.arrayBuffer());
}

describe('packs by the API', () => {
  it('go out as a file and come in as a stream, with progress and the result as last line', async () => {
    const from = await openTestApi();
    const to = await openTestApi();
    const texts = Array.from({ length: 400 }, (_, n) => `text ${n}`);
    const { id } = threadWith(from.store, texts);
    const response = await from.ask('GET', `/api/packs/${id}`);
    expect(response.headers.get('content-type')).toBe(PACK_MEDIA_TYPE);
    expect(response.headers.get('content-disposition')).toBe(
      `attachment; filename="${id}.uwfpack"`,
    );
    const pack = Buffer.from(await response.arrayBuffer());
    expect(pack.equals(await packOf(from.store, id))).toBe(true);
    const lines = await linesOf(await upload(to, streamed(pack).body));
    expect(lines[0]).toMatchObject({ type: 'progress', phase: 'import', total: null });
    const last = lines.at(-1);
    expect(last).toMatchObject({ type: 'result', threadId: id });
    expect(last?.type === 'result' && last.newNodes).toBeGreaterThan(400);
    const shown = (await (await to.ask('GET', `/api/threads/${id}`)).json()) as object;
    expect(shown).toMatchObject({ imported: true, status: 'interrupted', retryable: false });
  });

  it('refuse what is no pack with a problem as the last line, and read no further', async () => {
    const test = await openTestApi();
    const { body, seen } = streamed(Buffer.alloc(10_000_000), 64_000);
    expect(await linesOf(await upload(test, body))).toMatchObject([
      { type: 'problem', problem: { code: 'invalid-pack', status: 422 } },
    ]);
    expect(seen.pieces).toBeLessThan(5);
    const empty = await upload(test, new Uint8Array(0));
    expect(await linesOf(empty)).toMatchObject([{ problem: { code: 'invalid-pack' } }]);
  });

  it('refuse another media type before anything is read', async () => {
    const test = await openTestApi();
    for (const type of ['application/json', 'application/octet-stream', 'text/plain', '']) {
      const { body, seen } = streamed(Buffer.alloc(10));
      const response = await upload(test, body, type === '' ? {} : { 'content-type': type });
      expect(response.status).toBe(415);
      expect(await response.json()).toMatchObject({ code: 'unsupported-media-type' });
      expect(seen.pieces).toBe(0);
    }
    const upper = { 'content-type': 'Application/VND.uncaged.pack; charset=x' };
    expect((await upload(test, Buffer.alloc(3), upper)).status).toBe(200);
  });

  it('may be fetched by a viewer, and sent by those only who may publish', async () => {
    const test = await openTestApi();
    const { id } = threadWith(test.store, ['one']);
    test.caller.current = { role: 'viewer', name: 'vic', allow: ALL };
    await exportedBy(test, id);
    expect((await upload(test, Buffer.alloc(1))).status).toBe(403);
    test.caller.current = { role: 'operator', name: 'ann', allow: ['read', 'control', 'run'] };
    expect((await upload(test, Buffer.alloc(1))).status).toBe(403);
  });

  it('are of threads that are there', async () => {
    const { ask } = await openTestApi();
    expect((await ask('GET', `/api/packs/${UNKNOWN}`)).status).toBe(404);
    expect((await ask('GET', '/api/packs/..%2f..%2fetc')).status).toBe(400);
  });

  it('leave a copy that every order is refused for, with what to do instead', async () => {
    const from = await openTestApi();
    const to = await openTestApi();
    const { id } = threadWith(from.store, ['one']);
    const pack = await exportedBy(from, id);
    await linesOf(await upload(to, pack));
    for (const verb of ['pause', 'resume', 'retry', 'kill']) {
      const response = await to.ask('POST', `/api/threads/${id}/${verb}`, {});
      expect(response.status).toBe(409);
      const { code, detail } = (await response.json()) as { code: string; detail: string };
      expect([code, detail]).toEqual(['thread-state', expect.stringContaining('copy from a pack')]);
    }
    const again = await linesOf(await upload(to, pack));
    expect(again.at(-1)).toMatchObject({ type: 'result', newNodes: 0 });
    expect(await linesOf(await upload(from, pack))).toMatchObject([
      { type: 'problem', problem: { code: 'in-use' } },
    ]);
    expect((await to.ask('DELETE', `/api/threads/${id}`)).status).toBe(200);
  });

  it('are given up when nobody listens any more', async () => {
    const from = await openTestApi();
    const to = await openTestApi();
    const { id } = threadWith(from.store, ['one', 'two']);
    const pack = await packOf(from.store, id);
    let go = () => {};
    const held = new Promise<void>((resolve) => {
      go = resolve;
    });
    let at = 0;
    const body = new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          if (at > 0) await held;
          if (at >= pack.length) return controller.close();
          controller.enqueue(pack.subarray(at, at + pack.length / 2));
          at += pack.length / 2;
        },
      },
      { highWaterMark: 0 },
    );
    const response = await upload(to, body);
    await response.body?.cancel();
    go();
    await expect.poll(() => at).toBeGreaterThanOrEqual(pack.length / 2);
    expect(to.store.threads.list({ limit: 1 })).toEqual([]);
  });
});
