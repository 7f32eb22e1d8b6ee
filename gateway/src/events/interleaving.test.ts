import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  createSseParser,
  type GatewaySnapshotJson,
  gatewaySnapshotSchema,
  nodeUpSchema,
  type SnapshotJson,
} from '@uncaged/protocol/api';
import type { LinkBody, LinkClock, LinkRequest, LinkResponse } from '@uncaged/protocol/link';
import { Problem } from '@uncaged/protocol/problem';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { NodeLink } from '../links/index.js';
import { createFakeDirectory, createFakeLinks, TEST_LIMITS } from './fake-gateway.test-data.js';
import { createNodeState, THREADS } from './fake-node.test-data.js';
import { createEventHub } from './hub.js';
import { EVENT_LIMITS } from './limits.js';

/** A clock that goes when it is told to; `settle` lets everything happen that can. */
function createClock() {
  let now = 0;
  const turn: (() => void)[] = [];
  const timers = new Set<{ at: number; task: () => void }>();
  const settle = async () => {
    do {
      for (const task of turn.splice(0)) task();
      await new Promise((resolve) => setImmediate(resolve));
    } while (turn.length > 0);
  };
  const clock: LinkClock = {
    now: () => now,
    soon: (task) => void turn.push(task),
    after: (delayMs, task) => {
      const timer = { at: now + delayMs, task };
      timers.add(timer);
      return () => timers.delete(timer);
    },
  };
  const advance = async (ms: number) => {
    const end = now + ms;
    for (;;) {
      const [due] = [...timers].filter(({ at }) => at <= end).sort((x, y) => x.at - y.at);
      if (due === undefined) break;
      timers.delete(due);
      now = due.at;
      due.task();
      await settle();
    }
    now = end;
  };
  return { clock, settle, advance, timers };
}

/** A stream of a node on its way: what was sent and has not arrived. */
type Pipe = {
  isTaken: boolean;
  sent: string[];
  accept(): void;
  arrive(count: number): void;
  end(): void;
};

/** A node whose every answer is taken up, arrives and ends when the test says so. */
function createSlowNode(name: string) {
  const state = createNodeState();
  const pipes = new Set<Pipe>();
  const request = ({ path, signal }: LinkRequest): Promise<LinkResponse> =>
    new Promise((resolve, reject) => {
      if (path !== '/api/events') {
        reject(new Problem('unreachable', 'It says nothing of itself.'));
        return;
      }
      let arrived: Uint8Array[] = [];
      let isEnded = false;
      let reader: ((bytes: Uint8Array | null) => void) | null = null;
      let failReader: (error: unknown) => void = () => {};
      const hand = () => {
        if (reader === null || (arrived.length === 0 && !isEnded)) return;
        const bytes = arrived.shift() ?? null;
        const read = reader;
        reader = null;
        read(bytes);
      };
      const leave = () => {
        arrived = [];
        isEnded = true;
        pipes.delete(pipe);
      };
      const body: LinkBody = {
        read: () =>
          new Promise((done, fail) => {
            reader = done;
            failReader = fail;
            hand();
          }),
        takeRest: () => null,
        cancel: leave,
        async *[Symbol.asyncIterator]() {
          try {
            for (let bytes = await body.read(); bytes !== null; bytes = await body.read())
              yield bytes;
          } finally {
            leave();
          }
        },
      };
      const pipe: Pipe = {
        isTaken: false,
        sent: [],
        accept() {
          if (pipe.isTaken) return;
          pipe.isTaken = true;
          pipe.sent.push(state.snapshotText());
          resolve({ status: 200, headers: [], body });
        },
        arrive(count) {
          const text = pipe.sent.splice(0, count).join('');
          if (text !== '') arrived.push(Buffer.from(text));
          hand();
        },
        end() {
          if (!pipe.isTaken) reject(new Problem('node-failed', 'It does not answer.'));
          isEnded = true;
          pipes.delete(pipe);
          hand();
        },
      };
      signal?.addEventListener('abort', () => {
        const error = new Problem('cancelled', 'called off');
        leave();
        reject(error);
        failReader(error);
      });
      pipes.add(pipe);
    });
  const link = {
    name,
    generation: 1,
    hello: { node: name, instance: 'i', version: '1', labels: {}, allow: [], protocols: [1] },
    mux: { request, rttMs: () => null, ended: () => null },
  } as unknown as NodeLink;
  return {
    state,
    link,
    pipes,
    step(thread: string) {
      const text = state.step(thread);
      for (const pipe of pipes) if (pipe.isTaken) pipe.sent.push(text);
    },
  };
}

type View = { seq: number; steps: Map<string, number> };

const viewOf = ({ seq, threads }: SnapshotJson): View => ({
  seq,
  steps: new Map(threads.map((row) => [row.threadId, row.stepCount])),
});

/** A client that applies what it is told, and refuses what cannot be applied. */
function createModelClient() {
  const parser = createSseParser(Number.MAX_SAFE_INTEGER);
  const nodes = new Map<string, View>();
  const errors: string[] = [];
  let greeting: GatewaySnapshotJson | null = null;
  const take = (type: string, data: unknown) => {
    if (greeting === null) {
      if (type !== 'snapshot') errors.push(`${type} before the snapshot`);
      greeting = gatewaySnapshotSchema.parse(data);
      for (const { machine, snapshot } of greeting.nodes)
        if (snapshot !== null) nodes.set(machine.name, viewOf(snapshot));
    } else if (type === 'node.up') {
      const { node, snapshot } = nodeUpSchema.parse(data);
      nodes.set(node, viewOf(snapshot));
    } else {
      const { node, seq, thread } = data as { node: string; seq: number; thread: string };
      const view = nodes.get(node);
      if (view === undefined) errors.push(`event ${seq} of ${node} before its snapshot`);
      else if (seq !== view.seq + 1) errors.push(`event ${seq} of ${node} after ${view.seq}`);
      else {
        view.seq = seq;
        view.steps.set(thread, (view.steps.get(thread) ?? 0) + 1);
      }
    }
  };
  const response = Object.assign(new EventEmitter(), {
    writableLength: 0,
    destroyed: false,
    writableEnded: false,
    writeHead: () => response,
    write: (bytes: Buffer) => {
      for (const { event: type, data } of parser.push(bytes)) take(type, JSON.parse(data));
      return true;
    },
    end: () => response,
    destroy: () => response,
  });
  return { response: response as unknown as ServerResponse, nodes, errors };
}

function openSlowNodes() {
  const { clock, settle, advance, timers } = createClock();
  const fake = createFakeLinks();
  const nodes = [createSlowNode('a'), createSlowNode('b')] as const;
  const hub = createEventHub({
    links: fake.links,
    directory: createFakeDirectory(fake.links).directory,
    limits: TEST_LIMITS,
    // What is kept for when a node is away is no matter here.
    eventLimits: {
      ...EVENT_LIMITS,
      seenEveryMs: Number.MAX_SAFE_INTEGER,
      seenMaxMs: Number.MAX_SAFE_INTEGER,
    },
    clock,
    now: () => 0,
    log: () => undefined,
    hostOf: () => null,
    random: () => 0.5,
  });
  for (const { link } of nodes) fake.up(link);
  return { hub, nodes, settle, advance, timers };
}

/** At last nodes answer so often: soon enough for whatever waits for them. */
const ANSWERS_EVERY_MS = EVENT_LIMITS.snapshotMs / 10;
/** Within it, everything that broke is tried again, and what hangs on that. */
const LONGEST_MS = 4 * EVENT_LIMITS.reopenMaxMs;

const index = fc.nat(1);
const action = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('step' as const), node: index, n: index }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('accept' as const), node: index, n: fc.nat(3) }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('arrive' as const),
      node: index,
      n: fc.nat(3),
      count: fc.integer({ min: 1, max: 3 }),
    }),
  },
  { weight: 3, arbitrary: fc.constant({ do: 'join' as const }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('end' as const), node: index, n: fc.nat(3) }),
  },
  { weight: 1, arbitrary: fc.constant({ do: 'leave' as const }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('wait' as const),
      ms: fc.constantFrom(1, 60, 150, 300, 2_500, 20_000),
    }),
  },
);

describe('snapshots and events', () => {
  it('make every client know the true state of each node, without a gap and nothing twice', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 20, maxLength: 80 }), async (actions) => {
        const { hub, nodes, settle, advance, timers } = openSlowNodes();
        let clients: ReturnType<typeof createModelClient>[] = [];
        const pipe = (node: number, n: number) => [...nodes[node]!.pipes][n];
        for (const step of actions) {
          if (step.do === 'step') nodes[step.node]!.step(THREADS[step.n]!);
          else if (step.do === 'accept') pipe(step.node, step.n)?.accept();
          else if (step.do === 'arrive') pipe(step.node, step.n)?.arrive(step.count);
          else if (step.do === 'end') pipe(step.node, step.n)?.end();
          else if (step.do === 'wait') await advance(step.ms);
          else if (step.do === 'leave') clients.shift()?.response.emit('close');
          else {
            const client = createModelClient();
            clients = [...clients, client];
            hub.follow({} as IncomingMessage, client.response, {
              threads: [],
              isValid: () => true,
            });
          }
          await settle();
        }
        // Everything under way arrives, everything due happens.
        for (let ms = 0; ms < LONGEST_MS; ms += ANSWERS_EVERY_MS) {
          for (const node of nodes)
            for (const each of [...node.pipes]) {
              each.accept();
              each.arrive(Number.MAX_SAFE_INTEGER);
            }
          await settle();
          await advance(ANSWERS_EVERY_MS);
        }
        const truth = new Map(
          nodes.map(({ link, state }) => [link.name, { seq: state.seq, steps: state.steps }]),
        );
        for (const { nodes: known, errors } of clients) {
          expect(errors).toEqual([]);
          expect(known).toEqual(truth);
        }
        expect(hub.followers()).toBe(clients.length);
        hub.close();
        await settle();
        expect(nodes.map(({ pipes }) => pipes.size)).toEqual([0, 0]);
        expect(timers.size).toBe(0);
      }),
      { numRuns: 300 },
    );
  }, 120_000);

  it('are not put together from before and after a break of the stream', async () => {
    const { hub, nodes, settle, advance } = openSlowNodes();
    const [node, other] = nodes;
    const join = async () => {
      const client = createModelClient();
      hub.follow({} as IncomingMessage, client.response, { threads: [], isValid: () => true });
      await settle();
      return client;
    };
    const arriveAll = async () => {
      for (const pipe of [...node.pipes, ...other.pipes]) {
        pipe.accept();
        pipe.arrive(Number.MAX_SAFE_INTEGER);
      }
      await settle();
    };
    await settle();
    await arriveAll();
    await advance(EVENT_LIMITS.refreshMs * 2);
    await join();
    // The snapshot for the newcomer is taken and on its way when the stream breaks; the next stream knows more.
    const [stream, question] = [...node.pipes];
    question!.accept();
    stream!.end();
    await settle();
    node.step(THREADS[0]);
    await advance(EVENT_LIMITS.reopenMinMs);
    const again = [...node.pipes].at(-1)!;
    again.accept();
    again.arrive(1);
    await settle();
    question!.arrive(1);
    await settle();
    const late = await join();
    await arriveAll();
    node.step(THREADS[0]);
    await arriveAll();
    expect(late.errors).toEqual([]);
    expect(late.nodes.get('a')).toEqual({ seq: 2, steps: node.state.steps });
    hub.close();
    await settle();
  });
});
