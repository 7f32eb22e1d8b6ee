import { createNodeClient } from '@uncaged/protocol/api/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createFleet, FLEET_TEST_MAX_MS, type Fleet } from './fleet.js';

let fleet: Fleet;
beforeAll(async () => {
  fleet = await createFleet();
  await fleet.add({ name: 'alpha', allow: 'read,run,control,publish' });
}, FLEET_TEST_MAX_MS);
afterAll(() => fleet?.end(), FLEET_TEST_MAX_MS);

it(
  'a node collects and verifies line by line when it is asked through a gateway',
  async () => {
    const { url, key } = fleet.gateway;
    const client = createNodeClient({ baseUrl: url, token: key, node: 'alpha' });
    const { hash } = await client.putCas({ body: { text: 'nobody needs this' } });
    const collected: { type: string }[] = [];
    for await (const line of await client.collectGarbage({ body: { graceMs: 0 } }))
      collected.push(line);
    expect(collected[0]).toMatchObject({ type: 'progress', phase: 'mark' });
    expect(collected.at(-1)).toMatchObject({ type: 'result', deletedEntries: 1 });
    await expect(client.getCas({ params: { hash } })).rejects.toMatchObject({
      code: 'node-not-found',
    });
    const verified: { type: string }[] = [];
    for await (const line of await client.verifyCas({})) verified.push(line);
    expect(verified.at(-1)).toMatchObject({ type: 'result', damagedCount: 0 });
  },
  FLEET_TEST_MAX_MS,
);
