import { isNotStarted } from '@uncaged/protocol/link';
import { afterEach, describe, expect, it } from 'vitest';
import { until } from '../support/until.js';
import { ask, get, openLink, outcomeOf, post, type TestLink } from './open-link.js';
import type { OpenPair } from './open-pair.js';
import { patternAt } from './test-node.js';

const WINDOW = 64 * 1024;
const FRAME = 16 * 1024;
const SMALL = { windowBytes: WINDOW, maxFrameBytes: FRAME };
const MIB = 1024 * 1024;

async function* patternBody(seed: number, size: number, chunk = 7001): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < size; at += chunk) {
    yield patternAt(seed, at, Math.min(chunk, size - at));
  }
}

/** What every link must hold to, whatever it runs over. */
export function describeMux(name: string, open: OpenPair): void {
  describe(`a link over ${name}`, () => {
    let link: TestLink | null = null;
    const start = async (limits: Parameters<typeof openLink>[1] = {}) => {
      link = await openLink(open, limits);
      return link;
    };
    afterEach(async () => {
      await link?.close();
      link = null;
    });

    it('carries bodies of every size there and back unchanged', async () => {
      const { gateway } = await start(SMALL);
      const sizes = [0, 1, FRAME - 1, FRAME, FRAME + 1, WINDOW - 1, WINDOW, WINDOW + 1, 3 * MIB];
      for (const size of sizes) {
        const { status, bytes } = await ask(gateway, post('/echo', patternBody(size, size)));
        expect(status).toBe(200);
        expect(bytes.byteLength).toBe(size);
        expect(Buffer.compare(bytes, patternAt(size, 0, size))).toBe(0);
      }
    });

    it('keeps a hundred exchanges at once apart', async () => {
      const { gateway } = await start(SMALL);
      const answers = await Promise.all(
        Array.from({ length: 100 }, async (_, seed) => {
          const size = 1000 * seed;
          const { bytes } = await ask(gateway, post('/echo', patternBody(seed, size)));
          return Buffer.compare(bytes, patternAt(seed, 0, size)) === 0;
        }),
      );
      expect(answers).toEqual(Array(100).fill(true));
    });

    it('gives each of a thousand small requests its own answer', async () => {
      const { gateway } = await start();
      const paths = Array.from({ length: 1000 }, (_, i) => `/small?i=${i}`);
      for (let at = 0; at < paths.length; at += 100) {
        await Promise.all(
          paths.slice(at, at + 100).map(async (path) => {
            const response = await gateway.request(get(path));
            expect(response.headers).toEqual([['x-path', path]]);
            const bytes = response.body?.takeRest();
            expect(bytes && new TextDecoder().decode(bytes)).toBe(path);
          }),
        );
      }
    });

    it('lets a sender no further ahead of a reader that stands still than the window', async () => {
      const { gateway } = await start(SMALL);
      let sent = 0;
      async function* counted() {
        for await (const chunk of patternBody(1, 10 * MIB)) {
          sent += chunk.byteLength;
          yield chunk;
        }
      }
      const response = await gateway.request(post('/echo', counted()));
      let before = -1;
      // It stands still when as much time passes without a byte as many round trips take.
      await until('the sender stands still', async () => {
        const still = sent === before;
        before = sent;
        for (let i = 0; i < 10; i += 1) await gateway.probe(1000);
        return still;
      });
      // Two windows and what each of the two writers may have in hand: queue and chunk.
      expect(sent).toBeLessThan(2 * WINDOW + 2 * (65_536 + 7001) + 2 * FRAME);
      // Others go on meanwhile.
      expect((await ask(gateway, get('/small'))).status).toBe(200);
      response.body?.cancel();
    });

    it('has nothing open after a thousand streams that were begun and aborted', async () => {
      const { gateway, node } = await start();
      for (let round = 0; round < 10; round += 1) {
        const outcomes = await Promise.all(
          Array.from({ length: 100 }, async (_, i) => {
            const leaving = new AbortController();
            const asked = outcomeOf(gateway.request(get(`/hang?i=${i}`, leaving.signal)));
            // Some before their request has left, some under way, some well after.
            if (i % 3 === 1) await gateway.probe(1000);
            if (i % 3 === 2) for (let n = 0; n < 3; n += 1) await gateway.probe(1000);
            leaving.abort();
            return asked;
          }),
        );
        expect(outcomes).toEqual(Array(100).fill('cancelled'));
        expect(gateway.openStreams()).toBe(0);
        await until('the handlers have ended', () => node.openStreams() === 0);
      }
    });

    it('stops the handler when the caller leaves before the head', async () => {
      const { gateway, node, seen } = await start();
      const leaving = new AbortController();
      const asked = outcomeOf(gateway.request(get('/hang', leaving.signal)));
      await until('the handler runs', () => seen.includes('/hang'));
      leaving.abort();
      expect(await asked).toBe('cancelled');
      await until('the handler has ended', () => node.openStreams() === 0);
    });

    it('stops the handler when the reader leaves in the middle of the body', async () => {
      const { gateway, node } = await start();
      const { body } = await gateway.request(get('/open'));
      expect(await body?.read()).toEqual(new TextEncoder().encode('begun'));
      const more = body?.read();
      body?.cancel();
      expect(await outcomeOf(Promise.resolve(more))).toBe('cancelled');
      await until('the handler has ended', () => node.openStreams() === 0);
    });

    it('answers after the request has ended, and while it has not', async () => {
      const { gateway } = await start();
      const collected = await ask(gateway, post('/collect', patternBody(1, MIB)));
      expect(new TextDecoder().decode(collected.bytes)).toBe(String(MIB));

      let goOn = () => {};
      const waiting = new Promise<void>((resolve) => {
        goOn = resolve;
      });
      async function* slowly() {
        yield patternAt(5, 0, 10);
        await waiting;
        yield patternAt(5, 10, 10);
      }
      const { body } = await gateway.request(post('/echo', slowly()));
      expect(await body?.read()).toEqual(patternAt(5, 0, 10));
      goOn();
      expect(await body?.read()).toEqual(patternAt(5, 10, 10));
      expect(await body?.read()).toBeNull();
    });

    it('takes an answer that comes before the request is through, and stops its source', async () => {
      const { gateway } = await start(SMALL);
      let stopped = false;
      async function* endless() {
        try {
          for (let at = 0; ; at += 1000) yield patternAt(1, at, 1000);
        } finally {
          stopped = true;
        }
      }
      const { status } = await ask(gateway, post('/too-large', endless()));
      expect(status).toBe(413);
      await until('the source was stopped', () => stopped);
    });

    it('ends only the request whose handler fails', async () => {
      const { gateway, errors } = await start();
      const [crashed, fine] = await Promise.all([
        outcomeOf(gateway.request(get('/crash'))),
        ask(gateway, get('/small')),
      ]);
      expect(crashed).toBe('node-failed');
      expect(fine.status).toBe(200);
      expect(errors).toEqual([new Error('a bug of the handler')]);
    });

    it('refuses more requests at once than are allowed, and takes them again later', async () => {
      const { gateway } = await start({ maxStreams: 3 });
      const leaving = new AbortController();
      const held = [1, 2, 3].map(() => outcomeOf(gateway.request(get('/hang', leaving.signal))));
      const refused = await gateway.request(get('/small')).catch((error: unknown) => error);
      expect(refused).toMatchObject({ code: 'overloaded', status: 503 });
      expect(isNotStarted(refused)).toBe(true);
      leaving.abort();
      expect(await Promise.all(held)).toEqual(Array(3).fill('cancelled'));
      await until('there is room again', async () => {
        return (await outcomeOf(ask(gateway, get('/small')))) === 'fulfilled';
      });
    });

    it('settles everything when the connection is cut in the middle of answers', async () => {
      const { gateway, node, pair, ends } = await start(SMALL);
      const reading = await gateway.request(get('/bytes?n=100000000'));
      await reading.body?.read();
      const quiet = await gateway.request(get('/open'));
      await quiet.body?.read();
      const waiting = [
        outcomeOf(gateway.request(get('/hang'))),
        outcomeOf(gateway.request(post('/collect', patternBody(1, 10 * MIB)))),
        outcomeOf(Promise.resolve(quiet.body?.read())),
        outcomeOf(readAll(reading.body)),
      ];
      pair.cut();
      expect(await Promise.all(waiting)).toEqual(Array(4).fill('link-lost'));
      await until('both ends know', () => ends.gateway !== null && ends.node !== null);
      await until('the handlers have ended', () => node.openStreams() === 0);
      const late = await gateway.request(get('/small')).catch((error: unknown) => error);
      expect(late).toMatchObject({ code: 'link-lost', status: 502, retryable: true });
      expect(isNotStarted(late)).toBe(true);
    });

    it('notices on both sides within its limits that nothing passes any more', async () => {
      const { gateway, pair, ends } = await start({
        heartbeatMs: 50,
        silenceMs: 400,
        flushMs: 400,
      });
      const asked = outcomeOf(gateway.request(get('/hang')));
      const started = performance.now();
      pair.freeze();
      expect(await asked).toBe('link-lost');
      await until('both ends have given up', () => ends.gateway !== null && ends.node !== null);
      expect(['silent', 'stalled']).toContain(ends.gateway?.cause);
      expect(performance.now() - started).toBeGreaterThan(300);
    });

    it('stays up while nothing but heartbeats passes', async () => {
      const { gateway, ends } = await start({ heartbeatMs: 20, silenceMs: 1000 });
      const started = performance.now();
      await until('twice the limit has passed', () => performance.now() - started > 2000);
      expect(ends).toEqual({ gateway: null, node: null });
      expect(gateway.rttMs()).toBeGreaterThan(0);
    });

    it('answers pings and small requests while a large body passes', async () => {
      const { gateway, pair } = await start();
      pair.throttle?.(4 * MIB);
      const { body } = await gateway.request(get('/bytes?n=4000000'));
      let done = false;
      const reading = readAll(body).finally(() => {
        done = true;
      });
      let between = 0;
      while (!done) {
        expect(await gateway.probe(2000)).toBe(true);
        expect((await ask(gateway, get('/small'))).status).toBe(200);
        between += 1;
      }
      expect(await reading).toBe(4_000_000);
      expect(between).toBeGreaterThan(2);
    });

    it('finishes what is open after the node has said goodbye, and takes nothing new', async () => {
      const { gateway, node, goaways } = await start();
      const { body } = await gateway.request(get('/open'));
      await body?.read();
      node.goaway('shutdown', 'restarting');
      await until('the gateway has heard it', () => goaways.length > 0);
      expect(goaways).toEqual([{ code: 'shutdown', message: 'restarting', lastStream: 1 }]);
      const refused = await gateway.request(get('/small')).catch((error: unknown) => error);
      expect(refused).toMatchObject({ code: 'unreachable', status: 503 });
      expect(isNotStarted(refused)).toBe(true);
      const drained = node.drained(5000);
      expect(node.openStreams()).toBe(1);
      body?.cancel();
      await drained;
      expect(node.openStreams()).toBe(0);
    });

    it('says of a request that crossed a goodbye that it was not begun', async () => {
      const { gateway, node, seen } = await start();
      const first = await gateway.request(get('/open'));
      node.goaway('shutdown', 'restarting');
      const crossed = await gateway.request(get('/small')).catch((error: unknown) => error);
      expect(isNotStarted(crossed)).toBe(true);
      expect(seen).toEqual(['/open']);
      first.body?.cancel();
    });

    it('tells the other side why it is closed', async () => {
      const { gateway, ends } = await start();
      const asked = outcomeOf(gateway.request(get('/hang')));
      gateway.close('replaced', 'a newer link of the same node');
      expect(await asked).toBe('link-lost');
      await until('the node knows', () => ends.node !== null);
      expect(ends.node).toMatchObject({ cause: 'peer', goaway: { code: 'replaced' } });
      expect(ends.gateway).toMatchObject({ cause: 'local' });
    });

    it('tells of a goodbye that was said just before it is closed', async () => {
      const { gateway, ends } = await start();
      gateway.goaway('shutdown', 'restarting');
      gateway.close('shutdown', 'nothing is open');
      await until('the node knows', () => ends.node !== null);
      expect(ends.node).toMatchObject({ goaway: { code: 'shutdown', message: 'restarting' } });
    });
  });
}

async function readAll(body: AsyncIterable<Uint8Array> | null): Promise<number> {
  let size = 0;
  for await (const chunk of body ?? []) size += chunk.byteLength;
  return size;
}
