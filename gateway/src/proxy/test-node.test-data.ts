import { threadSummarySchema } from '@uncaged/protocol/api';
import {
  type Allow,
  acceptLink,
  connectLink,
  createMemoryPair,
  createSystemClock,
  type IncomingRequest,
  LINK_LIMITS,
  type LinkLimits,
  type RequestHandler,
} from '@uncaged/protocol/link';
import { onTestFinished } from 'vitest';
import type { z } from 'zod';
import type { Directory, KnownNode } from '../directory/index.js';
import type { Links, NodeLink } from '../links/index.js';

export type TestNode = {
  link: NodeLink;
  /** What it was asked, in order. */
  asked: IncomingRequest[];
  /** What its handlers failed with. */
  errors: unknown[];
  freeze: () => void;
  thaw: () => void;
  cut: () => void;
};

type TestNodeOptions = {
  name?: string;
  labels?: Record<string, string>;
  allow?: Allow[];
  limits?: Partial<LinkLimits>;
  onRequest: RequestHandler;
};

/** A node in this process, on a link that is no socket. */
export async function createTestNode(options: TestNodeOptions): Promise<TestNode> {
  const { name = 'build-1', labels = {}, allow = ['read', 'control', 'run'] } = options;
  const clock = createSystemClock();
  const limits = { ...LINK_LIMITS, ...options.limits };
  const pair = createMemoryPair(clock);
  const asked: IncomingRequest[] = [];
  const errors: unknown[] = [];
  const common = { clock, limits, onClose: () => undefined, onGoaway: () => undefined };
  const accepted = acceptLink({
    ...common,
    transport: pair.gateway,
    gateway: 'test',
    admit: async () => ({ generation: 1 }),
  });
  await connectLink({
    ...common,
    transport: pair.node,
    hello: { node: name, instance: 'i', version: '1.0.0', labels, allow },
    onError: (error) => errors.push(error),
    onRequest(request, respond) {
      asked.push(request);
      return options.onRequest(request, respond);
    },
  });
  const { mux, hello } = await accepted;
  onTestFinished(() => {
    pair.thaw();
    pair.cut();
  });
  return {
    link: {
      name,
      generation: 1,
      hello,
      mux,
      identity: { role: 'node', name, tokenId: null, expiresAt: null, by: 'bearer' },
      address: '127.0.0.1',
    },
    asked,
    errors,
    freeze: pair.freeze,
    thaw: pair.thaw,
    cut: pair.cut,
  };
}

export type JsonAnswer = { status: number; json: unknown };

/** A handler that answers with JSON; what it is given is the path with its query, and the JSON of the body. */
export function answering(
  answer: (request: IncomingRequest, body: unknown) => JsonAnswer | Promise<JsonAnswer>,
): RequestHandler {
  return async (request, respond) => {
    const chunks: Uint8Array[] = [];
    if (request.body !== null) for await (const chunk of request.body) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    const { status, json } = await answer(request, text === '' ? undefined : JSON.parse(text));
    if (request.signal.aborted) return;
    const writer = respond({
      status,
      headers: [['content-type', 'application/json']],
      end: false,
    });
    await writer.write(Buffer.from(JSON.stringify(json)));
    writer.end();
  };
}

export function problemJson(status: number, code: string, detail = 'why'): JsonAnswer {
  const type = `urn:uncaged:problem:${code}`;
  return { status, json: { type, title: 'T', status, code, detail } };
}

export function linksOf(
  nodes: readonly TestNode[],
): Links & { set: (nodes: readonly TestNode[]) => void } {
  let now = nodes;
  return {
    get: (name) => now.find(({ link }) => link.name === name)?.link ?? null,
    list: () => now.map(({ link }) => link),
    onChange: () => () => undefined,
    upgrade: () => undefined,
    close: async () => undefined,
    set: (changed) => {
      now = changed;
    },
  };
}

/** What is known of nodes: those given, and others by name that are away. */
export function directoryOf(
  nodes: readonly TestNode[],
  away: readonly (Partial<KnownNode['hello']> & { node: string })[] = [],
): Directory {
  const hosts = new Map<string, string>();
  const list = [
    ...nodes.map(({ link }) => ({ hello: link.hello, state: 'online' as const })),
    ...away.map((hello) => ({
      hello: { version: '1.0.0', labels: {}, allow: ['run' as const], ...hello },
      state: 'offline' as const,
    })),
  ].map((known) => ({ ...known, since: 0, gateway: 'test', seen: null }));
  return {
    list: () => list,
    get: (name) => list.find(({ hello }) => hello.node === name) ?? null,
    setState: () => undefined,
    setSeen: () => undefined,
    forget: () => false,
    hostOf: (id) => hosts.get(id) ?? null,
    setHost: (id, name) => void hosts.set(id, name),
    dropHost: (id) => void hosts.delete(id),
    close: async () => undefined,
  };
}

/** The id of the n-th thread: a later one is a greater one. */
export function idOf(n: number): string {
  return `01J${String(n).padStart(23, '0')}`;
}

export function summaryOf(threadId: string): z.output<typeof threadSummarySchema> {
  const time = '2026-01-01T00:00:00.000Z';
  return threadSummarySchema.parse({
    threadId,
    workflow: 'demo',
    version: '0000000000000',
    kind: 'definition',
    status: 'completed',
    desired: 'run',
    reason: null,
    problem: null,
    retryable: false,
    prompt: '',
    role: null,
    stepCount: 0,
    usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    usd: 0,
    parent: null,
    forkedFrom: null,
    imported: false,
    createdAt: time,
    updatedAt: time,
    startedAt: time,
    endedAt: time,
    returnCode: 0,
    summary: null,
  });
}
