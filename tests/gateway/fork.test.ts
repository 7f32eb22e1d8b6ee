import type { AuditRecord, Lineage, PlacedThread, ThreadDiff } from '@uncaged/protocol/api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../support/until.js';
import { chain } from '../support/workflows.js';
import { createFleet, FLEET_TEST_MAX_MS, type Fleet } from './fleet.js';

describe('a fork through a gateway', { timeout: FLEET_TEST_MAX_MS }, () => {
  let fleet: Fleet;
  beforeAll(async () => {
    fleet = await createFleet();
    const workflows = { line: chain('line', 3, () => 'date +%N') };
    await Promise.all(['one', 'two'].map((name) => fleet.add({ name, workflows })));
  }, FLEET_TEST_MAX_MS);
  afterAll(() => fleet.end(), FLEET_TEST_MAX_MS);

  const thread = (id: string) => fleet.gateway.json<PlacedThread>('GET', `/api/threads/${id}`);
  const untilCompleted = (id: string) =>
    until(`${id} is completed`, async () => {
      const found = await thread(id);
      return found.status === 'completed' && found;
    });
  const startOn = async (node: string) => {
    const body = { workflow: 'line', node };
    const { threadId } = await fleet.gateway.json<{ threadId: string }>('POST', '/api/threads', {
      body,
    });
    await untilCompleted(threadId);
    return threadId;
  };
  const fork = (path: string, body: object, key?: string) =>
    fleet.gateway.json<{ threadId: string }>('POST', `${path}/fork`, {
      body,
      headers: key === undefined ? {} : { 'idempotency-key': key },
    });

  it('takes place on the node that has the thread, is found there, and stands in the audit', async () => {
    const source = await startOn('two');
    const { threadId } = await fork(`/api/threads/${source}`, { fromStep: 1, prompt: 'other' });
    expect(await untilCompleted(threadId)).toMatchObject({ forkedFrom: source });
    expect((await fleet.gateway.ask('GET', `/api/nodes/two/threads/${threadId}`)).status).toBe(200);
    const { items } = await fleet.gateway.json<{ items: AuditRecord[] }>('GET', '/api/audit');
    expect(items).toContainEqual(
      expect.objectContaining({
        action: `POST /api/threads/${source}/fork`,
        thread: source,
        status: 201,
      }),
    );
    const lineage = await fleet.gateway.json<Lineage>('GET', `/api/threads/${threadId}/lineage`);
    expect(lineage.items.map((item) => item.threadId)).toEqual([source, threadId]);
    const diff = await fleet.gateway.json<ThreadDiff>(
      'GET',
      `/api/threads/${source}/diff/${threadId}`,
    );
    expect(diff).toMatchObject({ sharedSteps: 1, totals: { a: { steps: 2 }, b: { steps: 2 } } });
    const { items: after } = await fleet.gateway.json<{ items: AuditRecord[] }>(
      'GET',
      '/api/audit',
    );
    expect(after).toHaveLength(items.length);
  });

  it('happens once for a key, by either address, and for a viewer not at all', async () => {
    const source = await startOn('one');
    const made = await Promise.all(
      [`/api/threads/${source}`, `/api/nodes/one/threads/${source}`, `/api/threads/${source}`].map(
        (path) => fork(path, {}, 'once'),
      ),
    );
    expect(new Set(made.map(({ threadId }) => threadId)).size).toBe(1);
    await untilCompleted(made[0]!.threadId);
    const token = await fleet.gateway.token('viewer', 'vic');
    const refused = await fleet.gateway.ask('POST', `/api/threads/${source}/fork`, {
      token,
      body: {},
    });
    expect(refused.status).toBe(403);
    const list = await fleet.gateway.json<{ items: PlacedThread[] }>('GET', '/api/threads');
    expect(list.items.filter(({ forkedFrom }) => forkedFrom === source)).toHaveLength(1);
  });
});
