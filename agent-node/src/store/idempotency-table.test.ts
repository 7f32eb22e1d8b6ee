import { describe, expect, it } from 'vitest';
import { IDEMPOTENCY_KEEP_MS } from './limits.js';
import { createThread, temporaryStore } from './test-store.js';

describe('a key of a request', () => {
  it('is known for a day, and can then stand for another', async () => {
    let now = 1_000;
    const store = await temporaryStore({ clock: () => now });
    const [first, second] = [createThread(store), createThread(store)];
    const put = (thread: string, body: number) =>
      store.write('full', () => store.idempotency.put('key', Uint8Array.of(body), thread));
    expect(store.idempotency.get('key')).toBeNull();
    put(first, 1);
    now += IDEMPOTENCY_KEEP_MS - 1;
    expect(store.idempotency.get('key')).toEqual({ body: Buffer.of(1), thread: first });
    expect(store.idempotency.get('another')).toBeNull();
    now += 1;
    expect(store.idempotency.get('key')).toBeNull();
    put(second, 2);
    expect(store.idempotency.get('key')).toEqual({ body: Buffer.of(2), thread: second });
  });

  it('goes with its thread', async () => {
    const store = await temporaryStore();
    const thread = createThread(store);
    store.write('full', () => {
      store.idempotency.put('key', Uint8Array.of(1), thread);
      store.threads.cancelIdle(thread, {
        returnCode: 130,
        summary: 'killed',
        ownSummary: null,
        startedAt: 1,
        timestamp: 2,
      });
      store.threads.remove(thread);
    });
    expect(store.idempotency.get('key')).toBeNull();
  });
});
