import { type ImportLine, PACK_MEDIA_TYPE, type ThreadDetail } from '@uncaged/protocol/api';
import { createNodeClient } from '@uncaged/protocol/api/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../support/until.js';
import { chain } from '../support/workflows.js';
import {
  createFleet,
  FLEET_TEST_MAX_MS,
  type Fleet,
  type FleetNode,
  residentMib,
} from './fleet.js';

/** Far more than 16 MiB, the most that other bodies may have. */
const RAW_BYTES = 32_000_000;
const PACK_MIN_BYTES = 40_000_000;
/**
 * What the gateway and the node that packs may grow by meanwhile, MiB; kept whole it would be the pack and more. The node that
 * takes it in parses each text several times and grows by some 100, for a pack of 44 MB as for one of 200.
 */
const GROWTH_MAX_MIB = 40;

let fleet: Fleet;
let a: FleetNode;
/** On `a`: a large one and a small one. */
let large: string;
let small: string;

const nodeClient = (name: string) =>
  createNodeClient({ baseUrl: fleet.gateway.url, token: fleet.gateway.key, node: name });

async function ended(node: string, workflow: string): Promise<string> {
  const started = await fleet.client.startSomewhere({ body: { workflow, node } });
  await until(`${workflow} has ended`, async () => {
    const { status } = await fleet.client.getThread({ params: { id: started.threadId } });
    return status === 'completed';
  });
  return started.threadId;
}

async function lastOf(lines: AsyncIterable<ImportLine>): Promise<ImportLine | undefined> {
  let last: ImportLine | undefined;
  for await (const line of lines) last = line;
  return last;
}

/** From one node to another, through this process as it comes. */
async function carry(id: string, from: string, to: string): Promise<ImportLine | undefined> {
  const pack = await nodeClient(from).exportPack({ params: { threadId: id } });
  const body = pack.body as ReadableStream<Uint8Array<ArrayBuffer>>;
  return lastOf(await nodeClient(to).importPack({ body }));
}

const askPack = (
  node: string,
  token: string,
  body: Uint8Array<ArrayBuffer>,
  type = PACK_MEDIA_TYPE,
) =>
  fetch(`${fleet.gateway.url}/api/nodes/${node}/packs`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': type },
    body,
  });

beforeAll(async () => {
  fleet = await createFleet();
  const allow = 'read,run,control,publish';
  const workflows = {
    large: chain('large', 1, () => `head -c ${RAW_BYTES} /dev/urandom | base64`),
    small: chain('small', 2, (n) => `echo "step ${n}"`),
  };
  a = await fleet.add({ name: 'alpha', allow, workflows });
  await fleet.add({ name: 'beta', allow });
  small = await ended('alpha', 'small');
  large = await ended('alpha', 'large');
}, FLEET_TEST_MAX_MS);
afterAll(() => fleet?.end(), FLEET_TEST_MAX_MS);

describe('packs through a gateway', () => {
  it(
    'of any length go from node to node, as they come and in bounded memory',
    async () => {
      const pids = [fleet.gateway.service().pid, a.service().pid];
      const response = await nodeClient('alpha').exportPack({ params: { threadId: large } });
      expect(response.headers.get('content-type')).toBe(PACK_MEDIA_TYPE);
      const whole = await response.arrayBuffer();
      expect(whole.byteLength).toBeGreaterThan(PACK_MIN_BYTES);
      const before = pids.map(residentMib);
      let peak = before;
      const watch = setInterval(() => {
        peak = peak.map((mib, at) => Math.max(mib, residentMib(pids[at]!)));
      }, 20);
      const last = await carry(large, 'alpha', 'beta').finally(() => clearInterval(watch));
      expect(last).toMatchObject({ type: 'result', threadId: large });
      const growth = peak.map((mib, at) => Math.round(mib - before[at]!));
      expect(growth.every((mib) => mib < GROWTH_MAX_MIB) || growth).toBe(true);
      const copy = await nodeClient('beta').exportPack({ params: { threadId: large } });
      expect((await copy.arrayBuffer()).byteLength).toBe(whole.byteLength);
      // From memory, with its length said: the same again.
      const again = await lastOf(await nodeClient('beta').importPack({ body: new Blob([whole]) }));
      expect(again).toMatchObject({ type: 'result', threadId: large, newNodes: 0 });
    },
    FLEET_TEST_MAX_MS,
  );

  it('come from those only who may publish; anybody may fetch one who may look', async () => {
    const viewer = await fleet.gateway.token('viewer', 'vic');
    const asked = { headers: { authorization: `Bearer ${viewer}` } };
    const path = `${fleet.gateway.url}/api/nodes/alpha/packs`;
    const fetched = await fetch(`${path}/${small}`, asked);
    expect(fetched.status).toBe(200);
    const pack = new Uint8Array(await fetched.arrayBuffer());
    expect((await askPack('beta', viewer, pack)).status).toBe(403);
    const operator = await fleet.gateway.token('operator', 'ann');
    expect((await askPack('beta', operator, pack, 'application/json')).status).toBe(415);
    const cut = await askPack('beta', operator, pack.slice(0, -1));
    expect(cut.status).toBe(200);
    expect(await cut.text()).toContain('invalid-pack');
    // Refused at its beginning, while most of it is still to come.
    const noise = await askPack('beta', operator, new Uint8Array(30_000_000));
    expect(await noise.text()).toContain('it is no pack');
    const listed = await fleet.gateway.json<{ items: { threadId: string }[] }>(
      'GET',
      '/api/nodes/beta/threads',
    );
    expect(listed.items.map(({ threadId }) => threadId)).not.toContain(small);
  });

  it('that are broken off on the way leave nothing to be seen', async () => {
    const response = await nodeClient('alpha').exportPack({ params: { threadId: small } });
    const pack = new Uint8Array(await response.arrayBuffer());
    const left = new AbortController();
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      start: (controller) => controller.enqueue(pack.slice(0, pack.length / 2)),
    });
    const lines = await nodeClient('beta').importPack({ body, signal: left.signal });
    const reading = lastOf(lines);
    left.abort();
    await expect(reading).rejects.toThrow();
    const { items } = await nodeClient('beta').listThreads();
    expect(items.map(({ threadId }) => threadId)).not.toContain(small);
  });

  it(
    'leave a thread once in the list, and every question for it goes to where it is itself',
    async () => {
      expect(await carry(small, 'alpha', 'beta')).toMatchObject({ type: 'result' });
      const rows = async () => {
        const { items } = await fleet.client.listAllThreads();
        return items
          .filter(({ threadId }) => threadId === small)
          .map(({ node, imported }) => [node, imported]);
      };
      const host = async () => {
        const response = await fleet.gateway.ask('GET', `/api/threads/${small}`);
        const { imported } = (await response.json()) as ThreadDetail;
        return [response.headers.get('x-uwf-node'), imported];
      };
      expect(await rows()).toEqual([['alpha', false]]);
      expect(await host()).toEqual(['alpha', false]);
      await a.disconnect();
      await fleet.gateway.untilNode('alpha', 'offline');
      expect(await rows()).toEqual([['beta', true]]);
      expect(await host()).toEqual(['beta', true]);
      const told = await fleet.gateway.ask('POST', `/api/threads/${small}/kill`, { body: {} });
      expect(await told.json()).toMatchObject({ code: 'thread-state' });
      // Nothing but the copy is known to a gateway that begins now.
      await fleet.gateway.service().stop();
      await fleet.gateway.restart();
      await fleet.gateway.untilNode('beta');
      expect(await host()).toEqual(['beta', true]);
      expect(await rows()).toEqual([['beta', true]]);
      await a.start();
      expect(await host()).toEqual(['alpha', false]);
      expect(await rows()).toEqual([['alpha', false]]);
    },
    FLEET_TEST_MAX_MS,
  );
});
