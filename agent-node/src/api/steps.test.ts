import { routes } from '@uncaged/protocol/api';
import { expect, it } from 'vitest';
import { addThread, claim, openTestApi, startStep } from './test-api.js';

it('a step is answered with its trace, by the beginning of each text; without one it has null', async () => {
  const { ask, store } = await openTestApi();
  addThread(store);
  const thread = claim(store);
  const long = 'é'.repeat(10_000);
  const usage = { input: 3, cacheRead: 2, cacheWrite: 1, output: 9 };
  const hashes = [1, 2].map((seq) => {
    startStep(store, thread, seq);
    return store.write('full', () => {
      const { nodes } = store;
      const call = nodes.put('toolCall', {
        name: 'read',
        arguments: nodes.putText('{"path":"a"}'),
        result: nodes.putText(long),
        durationMs: 4,
      });
      const turn = nodes.put('turn', {
        input: nodes.putText('look'),
        output: null,
        reasoning: nodes.putText('hm'),
        toolCalls: [call],
        tokens: usage,
        latencyMs: 70,
      });
      const session = { agent: 'fake', role: 'worker', turns: [turn, turn], durationMs: 80 };
      return store.steps.commit({
        thread: thread.id,
        seq,
        attempt: 1,
        fence: thread.fence,
        state: {
          role: 'worker',
          content: nodes.putText('x'),
          meta: {},
          compact: null,
          childThread: null,
          agent: 'fake',
          session: seq === 1 ? nodes.put('session', { ...session, totalTokens: usage }) : null,
          usage: null,
          startedAt: 10,
          timestamp: 20,
        },
        casRefs: [],
        usage: null,
        usd: 0,
      });
    });
  });
  const read = async (hash: string) =>
    routes.getStep.response.schema.parse(await (await ask('GET', `/api/steps/${hash}`)).json());
  const { trace } = await read(hashes[0]!);
  expect(trace).toMatchObject({
    agent: 'fake',
    role: 'worker',
    usage,
    durationMs: 80,
    turnCount: 2,
  });
  expect(trace!.turns).toHaveLength(2);
  expect(trace!.turns[1]).toMatchObject({
    input: { text: 'look', size: 4 },
    output: null,
    reasoning: { text: 'hm' },
    usage,
    durationMs: 70,
    toolCallCount: 1,
    toolCalls: [
      {
        name: 'read',
        arguments: { text: '{"path":"a"}' },
        result: { text: 'é'.repeat(2048), size: 20_000 },
        durationMs: 4,
      },
    ],
  });
  expect((await read(hashes[1]!)).trace).toBeNull();
});
