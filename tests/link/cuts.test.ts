import { afterEach, describe, expect, it } from 'vitest';
import { until } from '../support/until.js';
import { ask, get, openLink, outcomeOf, post, type TestLink } from './open-link.js';
import { patternAt } from './test-node.js';
import { openProxiedPair } from './ws-pair.js';

const NODES = 20;
const CUTS_A_NODE = 10;
const REQUESTS_A_LINK = 10;
const LIMITS = { heartbeatMs: 100, silenceMs: 1000, flushMs: 1000, windowBytes: 32_768 };

/** Asks for what only this request can be answered with; says how it went. */
async function exchange(link: TestLink, seed: number): Promise<string> {
  const size = 1 + ((seed * 7919) % 60_000);
  async function* body() {
    for (let at = 0; at < size; at += 5000) yield patternAt(seed, at, Math.min(5000, size - at));
  }
  const answered = ask(link.gateway, post('/echo', body())).then(({ bytes }) => {
    if (Buffer.compare(bytes, patternAt(seed, 0, size)) !== 0) throw new Error('cross-talk');
  });
  return outcomeOf(answered);
}

describe('links that are cut again and again under load', () => {
  const links = new Set<TestLink>();
  afterEach(async () => {
    await Promise.all([...links].map((link) => link.close()));
    links.clear();
  });

  it('leave no request hanging and give each answer to its own request', async () => {
    const outcomes = new Map<string, number>();
    const hammer = async (node: number) => {
      for (let round = 0; round < CUTS_A_NODE; round += 1) {
        const link = await openLink(openProxiedPair, LIMITS);
        links.add(link);
        const seed = (node * CUTS_A_NODE + round) * REQUESTS_A_LINK;
        // A first one comes through whole; then some are cut at no time in particular, or stand still.
        expect(await exchange(link, seed)).toBe('fulfilled');
        const reading = link.gateway.request(get('/bytes?n=100000000'));
        const working = Array.from({ length: REQUESTS_A_LINK }, (_, i) => exchange(link, seed + i));
        const { body } = await reading;
        for (let chunks = round * 3; chunks >= 0; chunks -= 1) await body?.read();
        if (round % 3 === 2) link.pair.freeze();
        else link.pair.cut();
        for (const outcome of await Promise.all(working)) {
          outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
        }
        await until('both ends know', () => link.ends.gateway !== null && link.ends.node !== null);
        await link.close();
        links.delete(link);
      }
    };
    await Promise.all(Array.from({ length: NODES }, (_, node) => hammer(node)));
    expect([...outcomes.keys()].filter((o) => o !== 'fulfilled' && o !== 'link-lost')).toEqual([]);
    expect(outcomes.get('link-lost')).toBeGreaterThan(100);
  }, 120_000);
});
