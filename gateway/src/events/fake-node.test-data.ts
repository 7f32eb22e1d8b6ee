import type { EventJson, NodeJson, SnapshotJson, ThreadSummary } from '@uncaged/protocol/api';
import {
  acceptLink,
  connectLink,
  createMemoryPair,
  createSystemClock,
  LINK_LIMITS,
  type Mux,
  type RequestHandler,
  type ResponseWriter,
} from '@uncaged/protocol/link';
import type { NodeLink } from '../links/index.js';

export const THREADS = ['01J00000000000000000000000', '01J00000000000000000000001'] as const;
const AT = '2026-01-01T00:00:00.000Z';

export function threadRow(threadId: string, stepCount: number): ThreadSummary {
  return {
    threadId: threadId as ThreadSummary['threadId'],
    workflow: 'demo',
    version: 'AAAAAAAAAAAAA' as ThreadSummary['version'],
    kind: 'definition',
    status: 'running',
    desired: 'run',
    reason: null,
    problem: null,
    retryable: false,
    prompt: 'p',
    role: null,
    stepCount,
    usage: {
      input: 0,
      output: 0,
      cacheRead: 0,
      cacheWrite: 0,
    } as unknown as ThreadSummary['usage'],
    usd: 0,
    parent: null,
    forkedFrom: null,
    imported: false,
    createdAt: AT,
    updatedAt: AT,
    startedAt: AT,
    endedAt: null,
    returnCode: null,
    summary: null,
  };
}

export const eventText = (type: string, data: unknown, id?: string): string =>
  `event: ${type}\n${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`;

/** Its truth: the seq of the last event, and the steps of each thread, which every event moves by one. */
export function createNodeState() {
  const steps = new Map<string, number>();
  const state = {
    seq: 0,
    steps,
    /** Something happens; the text of the event. */
    step(thread: string): string {
      state.seq += 1;
      const stepCount = (steps.get(thread) ?? 0) + 1;
      steps.set(thread, stepCount);
      const event: EventJson = {
        seq: state.seq,
        type: 'step.committed',
        thread: thread as EventJson['thread'],
        at: AT,
        data: { seq: stepCount },
      };
      return eventText(event.type, event, `store-1.${state.seq}`);
    },
    snapshot: (): SnapshotJson => ({
      seq: state.seq,
      counts: countsOf(steps.size),
      threads: [...steps].map(([id, count]) => threadRow(id, count)),
    }),
    snapshotText: () => eventText('snapshot', state.snapshot(), `store-1.${state.seq}`),
  };
  return state;
}

function countsOf(running: number): SnapshotJson['counts'] {
  return {
    queued: 0,
    running,
    paused: 0,
    waiting: 0,
    interrupted: 0,
    completed: 0,
    failed: 0,
    cancelled: 0,
  };
}

/** Whoever has left does not get it. */
export function put(writer: ResponseWriter, text: string): void {
  writer.write(Buffer.from(text)).catch(() => undefined);
}

type Stream = { writer: ResponseWriter; threads: string[] };

/** A node on a link over memory; `instead` answers what it takes (true) in its place. */
export function createFakeNode(name: string) {
  const state = createNodeState();
  const streams = new Set<Stream>();
  const asked: string[] = [];
  const muxes: Mux[] = [];
  const send = (text: string, to: (stream: Stream) => boolean = () => true) => {
    for (const stream of streams) if (to(stream)) put(stream.writer, text);
  };
  const node = {
    name,
    state,
    asked,
    streams,
    muxes,
    instead: (async () => false) as (...args: Parameters<RequestHandler>) => Promise<boolean>,
    step: (thread: string) => send(state.step(thread)),
    raw: send,
    live: (thread: string, text: string) =>
      send(eventText('live', { thread, step: 1, n: 1, kind: 'text', text }), ({ threads }) =>
        threads.includes(thread),
      ),
    /** Ends its streams, as when the node's API restarts. */
    endStreams: () => {
      for (const { writer } of [...streams]) writer.end();
      streams.clear();
    },
    connect: (generation: number) => connect(generation),
  };

  const serve: RequestHandler = async (request, respond) => {
    asked.push(request.path);
    if (!request.headers.some(([k, v]) => k === 'x-uwf-principal' && v === 'viewer gateway'))
      throw new Error('the gateway did not say who it is');
    if (await node.instead(request, respond)) return;
    const url = new URL(request.path, 'http://node');
    if (url.pathname !== '/api/events') {
      const answer = url.pathname === '/api/node' ? nodeJson(name) : threadsJson();
      const writer = respond({ status: 200, headers: [], end: false });
      put(writer, JSON.stringify(answer));
      writer.end();
      return;
    }
    const threads = (url.searchParams.get('threads') ?? '').split(',').filter((id) => id !== '');
    const writer = respond({ status: 200, headers: [], end: false });
    const stream = { writer, threads };
    streams.add(stream);
    put(writer, `: \n\n${state.snapshotText()}`);
    await new Promise<void>((resolve) => {
      request.signal.addEventListener('abort', () => resolve());
      const { end } = writer;
      stream.writer = {
        ...writer,
        end: () => {
          end();
          resolve();
        },
      };
    });
    streams.delete(stream);
  };
  const threadsJson = () => ({ items: state.snapshot().threads, nextCursor: null });

  const connect = async (
    generation: number,
  ): Promise<{ link: NodeLink; cut: () => void; ended: Promise<void> }> => {
    const clock = createSystemClock();
    const pair = createMemoryPair(clock);
    const shared = { clock, limits: LINK_LIMITS, onGoaway: () => undefined };
    let tellEnded = () => {};
    const ended = new Promise<void>((resolve) => {
      tellEnded = resolve;
    });
    const accepted = acceptLink({
      ...shared,
      transport: pair.gateway,
      gateway: 'g',
      admit: async () => ({ generation }),
      onClose: () => tellEnded(),
    });
    const connected = connectLink({
      ...shared,
      transport: pair.node,
      hello: { node: name, instance: 'i', version: '1.0.0', labels: {}, allow: ['read'] },
      onClose: () => undefined,
      onRequest: serve,
      onError: () => undefined,
    });
    const { mux, hello } = await accepted;
    muxes.push((await connected).mux);
    const identity: NodeLink['identity'] = {
      role: 'node',
      name,
      tokenId: null,
      expiresAt: null,
      by: 'bearer',
    };
    const link: NodeLink = { name, generation, hello, mux, identity, address: '127.0.0.1' };
    return { link, cut: pair.cut, ended };
  };
  return node;
}

export type FakeNode = ReturnType<typeof createFakeNode>;

export function nodeJson(name: string): NodeJson {
  return {
    name,
    version: '1.0.0',
    labels: {},
    allow: ['read'],
    limits: { threads: 1, bodyBytes: 1, pageEntries: 1 },
    workspaceRoots: [],
    counts: countsOf(0),
    disk: { storeBytes: 0 },
  };
}
