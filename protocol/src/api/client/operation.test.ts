import { describe, expectTypeOf, it } from 'vitest';
import type { z } from 'zod';
import type { MachineJson, SessionJson } from '../machine.js';
import type { Routes } from '../routes/routes.js';
import type { ThreadDetail, ThreadSummary } from '../thread.js';
import { createGatewayClient, createNodeClient } from './create-client.js';
import type { FollowEnd } from './follow-events.js';
import type { GatewayMessage, NodeMessage, ThreadMessage } from './stream-message.js';

const node = createNodeClient({ baseUrl: 'http://127.0.0.1:1' });
const gateway = createGatewayClient({ baseUrl: 'http://127.0.0.1:1' });

/** For the compiler only. */
function never(_: () => unknown): void {}

describe('the types of a client', () => {
  it('give what the routes answer', () => {
    expectTypeOf(node.getThread).returns.resolves.toEqualTypeOf<ThreadDetail>();
    expectTypeOf(node.listThreads).returns.resolves.toHaveProperty('items');
    expectTypeOf<
      Awaited<ReturnType<typeof node.listThreads>>['items'][number]
    >().toEqualTypeOf<ThreadSummary>();
    expectTypeOf(gateway.getSession).returns.resolves.toEqualTypeOf<SessionJson>();
    expectTypeOf<
      Awaited<ReturnType<typeof gateway.listNodes>>['items'][number]
    >().toEqualTypeOf<MachineJson>();
    expectTypeOf<Awaited<ReturnType<typeof gateway.listAllThreads>>['unreachable']>().toEqualTypeOf<
      string[]
    >();
    expectTypeOf(gateway.getThread).toEqualTypeOf(node.getThread);
    expectTypeOf(node.getStepContent).returns.resolves.toEqualTypeOf<Response>();
    expectTypeOf(node.getThreadLog).returns.resolves.toExtend<
      AsyncIterable<{ tag: string; timestamp: number }>
    >();
    expectTypeOf(node.followThread).returns.resolves.toEqualTypeOf<FollowEnd>();
  });

  it('ask for what a route needs, and for no more', () => {
    expectTypeOf(node.getNode).toBeCallableWith();
    expectTypeOf(node.listThreads).toBeCallableWith({ query: { status: ['running', 'paused'] } });
    expectTypeOf(node.listThreads).toBeCallableWith({ query: { status: 'running', limit: 5 } });
    expectTypeOf(node.killThread).toBeCallableWith({ params: { id: 'x' } });
    expectTypeOf(node.startThread).toBeCallableWith({
      body: { workflow: 'demo' },
      headers: { 'idempotency-key': 'k' },
    });
    expectTypeOf(node.startThread)
      .parameter(0)
      .toHaveProperty('body')
      .toEqualTypeOf<z.input<Routes['startThread']['body']['schema']>>();
    never(() => [
      // @ts-expect-error its id is missing
      node.getThread(),
      // @ts-expect-error no such status
      node.listThreads({ query: { status: ['gone'] } }),
      // @ts-expect-error no such field
      node.listThreads({ query: { color: 'red' } }),
      // @ts-expect-error a start needs a workflow
      node.startThread({ body: {} }),
      // @ts-expect-error it has no body
      node.getNode({ body: {} }),
      // @ts-expect-error nothing to hand the events to
      node.followNode({}),
      // @ts-expect-error only a node's
      gateway.getNode(),
    ]);
  });

  it('tell the events of a stream apart', () => {
    expectTypeOf(node.followThread)
      .parameter(0)
      .toHaveProperty('onEvent')
      .toEqualTypeOf<(message: ThreadMessage) => void>();
    expectTypeOf(node.followNode)
      .parameter(0)
      .toHaveProperty('onEvent')
      .toEqualTypeOf<(message: NodeMessage) => void>();
    expectTypeOf(gateway.followAll)
      .parameter(0)
      .toHaveProperty('onEvent')
      .toEqualTypeOf<(message: GatewayMessage) => void>();
    never(() =>
      gateway.followAll({
        query: { threads: ['x'] },
        onEvent: (message) => {
          if (message.event === 'live') expectTypeOf(message.data.text).toEqualTypeOf<string>();
          if (message.event === 'step.committed')
            expectTypeOf(message.data.node).toEqualTypeOf<string>();
        },
      }),
    );
  });
});
