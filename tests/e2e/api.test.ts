import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createNodeApi, type NodeApi } from '../../agent-node/src/api/index.js';
import { readLimits } from '../../agent-node/src/executor/index.js';
import { openStore, type Store } from '../../agent-node/src/store/index.js';
import { createMachine, type Machine } from '../support/uwf.js';
import { chain } from '../support/workflows.js';

const WORKER = fileURLToPath(new URL('../../agent-node/dist/bin/worker.js', import.meta.url));
const ALLOW = ['read', 'run', 'control', 'publish'] as const;

let machine: Machine;
let store: Store;
let api: NodeApi;
beforeEach(async () => {
  machine = createMachine();
  store = await openStore(machine.root, { clock: Date.now, busyTimeoutMs: 50 });
  api = await createNodeApi({
    store,
    clock: Date.now,
    executor: {
      limits: readLimits(machine.env),
      program: { file: WORKER, env: machine.env },
    },
    node: { name: 'here', labels: {}, allow: ALLOW },
    authorize: () => ({ role: 'operator', name: 'test', allow: ALLOW }),
    log: () => undefined,
  });
});
afterEach(async () => {
  api.close();
  store.close();
  await machine.dispose();
});

const post = (path: string, body: unknown) =>
  api.app.request(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

/** Events of a thread, over as many streams as it takes when each is cut after `cut` of them; `onCut` hears of each cut. */
async function follow(
  id: string,
  cut: number,
  onCut: () => void = () => undefined,
): Promise<{ event: string; id: string }[]> {
  const seen: { event: string; id: string }[] = [];
  while (seen.at(-1)?.event !== 'done') {
    const last = seen.at(-1)?.id ?? '';
    const response = await api.app.request(`/api/threads/${id}/events`, {
      headers: { 'last-event-id': last },
    });
    let text = '';
    let count = 0;
    for await (const chunk of response.body! as unknown as AsyncIterable<Uint8Array>) {
      text += Buffer.from(chunk).toString();
      const blocks = text.split('\n\n');
      text = blocks.pop()!;
      for (const block of blocks) {
        const event = /^event: (.+)$/m.exec(block)?.[1];
        const eventId = /^id: (.+)$/m.exec(block)?.[1] ?? last;
        if (event === undefined || event === 'live' || count === cut) continue;
        seen.push({ event, id: eventId });
        count += 1;
      }
      if (count === cut) break;
    }
    onCut();
  }
  return seen;
}

describe('a thread that is started through the API', () => {
  it('runs in a worker, and is followed to its end across cuts', async () => {
    // It is not over before the first stream was cut.
    const gate = join(machine.cwd, 'gate');
    const waits = `while [ ! -e "${gate}" ]; do sleep 0.02; done; `;
    const source = chain('four', 4, (n) => `${n === 2 ? waits : ''}echo "step ${n}"`);
    expect((await post('/api/workflows', { source })).status).toBe(201);
    const started = await post('/api/threads', { workflow: 'four', prompt: 'go' });
    expect(started.status).toBe(201);
    const { threadId } = (await started.json()) as { threadId: string };
    const seen = await follow(threadId, 3, () => writeFileSync(gate, ''));
    expect(seen.map(({ event }) => event)).toEqual([
      'thread.queued',
      'thread.started',
      ...Array.from({ length: 4 }, () => ['step.started', 'step.committed']).flat(),
      'thread.completed',
      'done',
    ]);
    const steps = await api.app.request(`/api/threads/${threadId}/steps`);
    expect(await steps.json()).toMatchObject({ items: [{ content: 'step 1\n' }, {}, {}, {}] });
    expect(api.followers()).toBe(0);
  });

  it('is killed through it while it runs', async () => {
    await post('/api/workflows', { source: chain('long', 1, () => 'sleep 60') });
    const started = await post('/api/threads', { workflow: 'long' });
    const { threadId } = (await started.json()) as { threadId: string };
    const events = follow(threadId, Number.POSITIVE_INFINITY);
    expect((await post(`/api/threads/${threadId}/kill`, {})).status).toBe(202);
    expect((await events).map(({ event }) => event).slice(-2)).toEqual([
      'thread.cancelled',
      'done',
    ]);
  });
});
