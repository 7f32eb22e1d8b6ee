import { setTimeout as sleep } from 'node:timers/promises';
import {
  doneSchema,
  eventSchema,
  liveSchema,
  resyncSchema,
  snapshotSchema,
} from '@uncaged/protocol/api';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readLimits } from '../../executor/index.js';
import {
  addThread,
  claim,
  commitStep,
  endThread,
  openTestApi,
  readEvents,
  type SseMessage,
  startStep,
} from '../test-api.js';

const SCHEMAS = {
  live: liveSchema,
  snapshot: snapshotSchema,
  done: doneSchema,
  resync: resyncSchema,
} as const;

async function until(what: string, look: () => boolean): Promise<void> {
  const deadline = performance.now() + 10_000;
  while (!look()) {
    if (performance.now() > deadline) throw new Error(`did not come: ${what}`);
    await sleep(2);
  }
}

const seqs = (messages: readonly SseMessage[]) =>
  messages.filter(({ id }) => id !== null).map(({ data }) => data.seq as number);
const names = (messages: readonly SseMessage[]) => messages.map(({ event }) => event);

describe('the stream of a thread', () => {
  it('begins at the beginning, follows, and ends with done', async () => {
    const { ask, store, api } = await openTestApi();
    const id = addThread(store);
    const thread = claim(store);
    startStep(store, thread, 1);
    const response = await ask('GET', `/api/threads/${id}/events`);
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    expect(response.headers.get('cache-control')).toBe('no-store, no-transform');
    expect(response.headers.get('x-accel-buffering')).toBe('no');
    const events = readEvents(response);
    const before = await events.until('step.started');
    expect(names(before)).toEqual(['thread.queued', 'thread.started', 'step.started']);

    store.write('normal', () =>
      store.live.append({ thread: id, seq: 1, n: 1, kind: 'text', text: 'hello ' }),
    );
    const live = await events.next();
    expect(live).toMatchObject({
      event: 'live',
      id: null,
      data: { step: 1, n: 1, text: 'hello ' },
    });

    store.write('normal', () =>
      store.live.append({ thread: id, seq: 1, n: 2, kind: 'text', text: 'world' }),
    );
    expect(await events.next()).toMatchObject({ event: 'live', data: { n: 2, text: 'world' } });
    commitStep(store, thread, 1, 'hello world');
    endThread(store, thread);
    const rest = await events.until('done');
    expect(names(rest)).toEqual(['step.committed', 'thread.completed', 'done']);
    expect(rest.at(-1)!.data).toEqual({ thread: id, status: 'completed', returnCode: 0 });
    expect(await events.next()).toBeNull();
    for (const { event, data, id: eventId } of [...before, live!, ...rest]) {
      const schema = SCHEMAS[event as keyof typeof SCHEMAS] ?? eventSchema;
      expect(schema.strict().safeParse(data).error).toBeUndefined();
      if (eventId !== null) expect(eventId).toBe(`${store.id}.${data.seq}`);
    }
    expect(api.followers()).toBe(0);
  });

  it('goes on after the last id, without a gap or a repeat, wherever it was cut', async () => {
    const { ask, store } = await openTestApi();
    const id = addThread(store);
    const thread = claim(store);
    const other = addThread(store);
    for (let seq = 1; seq <= 250; seq++) {
      startStep(store, thread, seq);
      commitStep(store, thread, seq, 'x');
    }
    claim(store);
    endThread(store, thread);
    expect(other).not.toBe(id);
    const path = `/api/threads/${id}/events`;
    const whole = seqs(await readEvents(await ask('GET', path)).until('done'));
    expect(whole).toHaveLength(503);

    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 300 }), { maxLength: 5 }),
        async (cuts) => {
          const seen: SseMessage[] = [];
          for (const cut of [...cuts, Number.POSITIVE_INFINITY]) {
            const lastId = seen.findLast((message) => message.id !== null)?.id;
            const events = readEvents(
              await ask('GET', path, undefined, lastId == null ? {} : { 'last-event-id': lastId }),
            );
            for (let count = 0; count < cut; count++) {
              const message = await events.next();
              if (message === null) break;
              seen.push(message);
            }
            await events.cancel();
          }
          expect(seqs(seen)).toEqual(whole);
        },
      ),
      { numRuns: 10 },
    );
  });

  it('misses nothing that is written while it is cut off and comes back', async () => {
    const { ask, store } = await openTestApi();
    const id = addThread(store);
    const thread = claim(store);
    const path = `/api/threads/${id}/events`;
    let isWriting = true;
    const writer = (async () => {
      for (let seq = 1; seq <= 100; seq++) {
        startStep(store, thread, seq);
        commitStep(store, thread, seq, 'x');
        await sleep(1);
      }
      endThread(store, thread);
      isWriting = false;
    })();
    const seen: SseMessage[] = [];
    let streams = 0;
    while (seen.at(-1)?.event !== 'done') {
      const last = seen.findLast((message) => message.id !== null)?.id;
      const events = readEvents(
        await ask('GET', path, undefined, last == null ? {} : { 'last-event-id': last }),
      );
      streams += 1;
      for (let count = 0; count < 13; count++) {
        const message = await events.next();
        if (message === null) break;
        seen.push(message);
      }
      await events.cancel();
    }
    await writer;
    expect(isWriting).toBe(false);
    expect(streams).toBeGreaterThan(10);
    const all = store.events.after({ seq: 0, thread: id, limit: 1_000 }).map(({ seq }) => seq);
    expect(seqs(seen)).toEqual(all);
  });

  it('answers an id it does not know with one resync and begins anew', async () => {
    const { ask, store } = await openTestApi();
    const id = addThread(store);
    const foreign = store.events.lastSeq();
    addThread(store);
    store.write('full', () => store.threads.setDesired(id, 'pause'));
    const path = `/api/threads/${id}/events`;
    const ids = {
      [`another.${foreign}`]: 'foreign',
      [`${store.id}.999999`]: 'foreign',
      [`${store.id}.0`]: 'foreign',
      [`${store.id}.x`]: 'foreign',
      nonsense: 'foreign',
      // Of another thread, and so none that this stream can go on from.
      [`${store.id}.${foreign + 1}`]: 'pruned',
    };
    for (const [lastEventId, reason] of Object.entries(ids)) {
      const events = readEvents(
        await ask('GET', path, undefined, { 'last-event-id': lastEventId }),
      );
      expect(await events.next()).toEqual({ event: 'resync', id: null, data: { reason } });
      expect(await events.next()).toMatchObject({ event: 'thread.queued' });
      await events.cancel();
    }
  });

  it('stays open while a thread may go on, and says when it was removed', async () => {
    const { ask, store } = await openTestApi();
    const id = addThread(store);
    const thread = claim(store);
    store.write('full', () =>
      store.threads.settle(id, thread.fence, { status: 'paused', reason: 'user' }),
    );
    const events = readEvents(await ask('GET', `/api/threads/${id}/events`));
    await events.until('thread.paused');
    store.write('full', () => store.threads.remove(id));
    expect(names(await events.until('done'))).toEqual(['thread.removed', 'done']);
    expect((await ask('GET', `/api/threads/${id}/events`)).status).toBe(404);
  });

  it('tells that the owner died meanwhile', async () => {
    const { ask, store } = await openTestApi();
    const id = addThread(store);
    // Not renewed for long: dead in a moment, not yet.
    claim(store, readLimits({}).deadAfterMs - 500);
    const events = readEvents(await ask('GET', `/api/threads/${id}/events`));
    expect(names(await events.until('thread.started'))).not.toContain('thread.interrupted');
    expect(names(await events.until('thread.interrupted'))).toEqual(['thread.interrupted']);
    await events.cancel();
  });

  it('tells nothing twice of what it read before the tailer came to it', async () => {
    const { ask, store } = await openTestApi({ limits: { lookEveryMs: 50 } });
    const id = addThread(store);
    const early = readEvents(await ask('GET', '/api/events'));
    await early.next();
    const thread = claim(store);
    // Both read what the tailer has not told yet.
    const events = readEvents(await ask('GET', `/api/threads/${id}/events`));
    const node = readEvents(await ask('GET', '/api/events'));
    const seen = await events.until('thread.started');
    const { seq } = (await node.next())!.data;
    await early.until('thread.started');
    endThread(store, thread);
    seen.push(...(await events.until('done')));
    expect(names(seen)).toEqual(['thread.queued', 'thread.started', 'thread.completed', 'done']);
    const next = await node.next();
    expect(next).toMatchObject({ event: 'thread.completed' });
    expect(next!.data.seq).toBeGreaterThan(seq as number);
    for (const stream of [early, node]) await stream.cancel();
  });

  it('tells in order what happens while it still replays', async () => {
    const { ask, store } = await openTestApi();
    const id = addThread(store);
    const thread = claim(store);
    for (let seq = 1; seq <= 200; seq++) {
      startStep(store, thread, seq);
      commitStep(store, thread, seq, 'x');
    }
    const early = readEvents(await ask('GET', '/api/events'));
    await early.next();
    const events = readEvents(await ask('GET', `/api/threads/${id}/events`));
    const seen = [(await events.next())!];
    startStep(store, thread, 201);
    await early.until('step.started');
    commitStep(store, thread, 201, 'x');
    endThread(store, thread);
    seen.push(...(await events.until('done')));
    const all = store.events.after({ seq: 0, thread: id, limit: 1_000 }).map(({ seq }) => seq);
    expect(seqs(seen)).toEqual(all);
    await early.cancel();
  });
});

describe('the stream of the node', () => {
  it('begins with a snapshot and goes on from exactly there', async () => {
    const { ask, store } = await openTestApi();
    const running = addThread(store);
    const thread = claim(store);
    addThread(store);
    const events = readEvents(await ask('GET', `/api/events?threads=${running}`));
    const snapshot = await events.next();
    expect(snapshotSchema.strict().parse(snapshot!.data)).toMatchObject({
      seq: store.events.lastSeq(),
      counts: { queued: 1, running: 1 },
      threads: [{ threadId: running }],
    });
    startStep(store, thread, 1);
    store.write('normal', () =>
      store.live.append({ thread: running, seq: 1, n: 1, kind: 'stderr', text: 'oh' }),
    );
    commitStepLater(store, thread);
    const rest = await events.until('thread.completed');
    expect(names(rest.filter(({ event }) => event !== 'live'))).toEqual([
      'step.started',
      'step.committed',
      'thread.completed',
    ]);
    await events.cancel();
  });

  it('carries the text of the threads it was asked for, and of no other', async () => {
    const { ask, store } = await openTestApi();
    const ids = [addThread(store), addThread(store)];
    for (const thread of [claim(store), claim(store)]) startStep(store, thread, 1);
    const events = readEvents(await ask('GET', `/api/events?threads=${ids[1]}`));
    await events.next();
    for (const id of ids)
      store.write('normal', () =>
        store.live.append({ thread: id, seq: 1, n: 1, kind: 'text', text: `of ${id}` }),
      );
    expect(await events.next()).toMatchObject({ event: 'live', data: { text: `of ${ids[1]}` } });
    await events.cancel();
    expect((await ask('GET', '/api/events?threads=../x')).status).toBe(400);
  });
});

function commitStepLater(
  store: Parameters<typeof commitStep>[0],
  thread: Parameters<typeof commitStep>[1],
): void {
  commitStep(store, thread, 1, 'x');
  endThread(store, thread);
}

describe('any stream', () => {
  it('says something now and then, so that nobody takes it for dead', async () => {
    const { ask } = await openTestApi({ limits: { commentEveryMs: 5 } });
    const events = readEvents(await ask('GET', '/api/events'));
    await events.next();
    const waiting = events.next();
    await until('three comments', () => events.comments() >= 3);
    await events.cancel();
    expect(await waiting).toBeNull();
  });

  it('is cut when its reader leaves too much unread, and can be taken up again', async () => {
    const { ask, store, api } = await openTestApi({ limits: { backlogMaxBytes: 2_000 } });
    const id = addThread(store);
    const thread = claim(store);
    const events = readEvents(await ask('GET', `/api/threads/${id}/events`));
    const seen = await events.until('thread.started');
    expect(api.followers()).toBe(1);
    for (let seq = 1; seq <= 40; seq++) {
      startStep(store, thread, seq);
      commitStep(store, thread, seq, 'x');
    }
    await until('the cut', () => api.followers() === 0);
    endThread(store, thread);
    seen.push(...(await events.until('done')));
    expect(seen.at(-1)?.event).not.toBe('done');
    const last = seen.findLast((message) => message.id !== null)!.id!;
    const again = readEvents(
      await ask('GET', `/api/threads/${id}/events`, undefined, { 'last-event-id': last }),
    );
    seen.push(...(await again.until('done')));
    const all = store.events.after({ seq: 0, thread: id, limit: 1_000 }).map(({ seq }) => seq);
    expect(seqs(seen)).toEqual(all);
  });

  it('ends with its request, its reader or its node, and nothing of it is left', async () => {
    const { api, ask, store } = await openTestApi();
    const id = addThread(store);
    for (const path of ['/api/events', `/api/threads/${id}/events`]) {
      for (let count = 0; count < 200; count++) {
        const abort = new AbortController();
        const response = await api.app.request(path, { signal: abort.signal });
        const events = readEvents(response);
        if (count % 2 === 0) await events.next();
        if (count % 3 === 0) await events.cancel();
        else abort.abort();
      }
      expect(api.followers()).toBe(0);
    }
    const early = new AbortController();
    early.abort();
    const dead = await api.app.request('/api/events', { signal: early.signal });
    expect(await readEvents(dead).next()).toBeNull();
    const last = readEvents(await ask('GET', '/api/events'));
    await last.next();
    api.close();
    expect(await last.next()).toBeNull();
    expect(api.followers()).toBe(0);
  });
});
