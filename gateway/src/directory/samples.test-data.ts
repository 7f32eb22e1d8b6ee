import type { NodeJson, ThreadSummary } from '@uncaged/protocol/api';
import { createThreadId, type Hash } from '@uncaged/protocol/ids';
import type { KnownNode } from './index.js';

export function helloOf(node: string): KnownNode['hello'] {
  return { node, version: '1.2.3', labels: { os: 'linux' }, allow: ['read', 'run'] };
}

export function nodeOf(name: string): NodeJson {
  return {
    name,
    version: '1.2.3',
    labels: { os: 'linux' },
    allow: ['read', 'run'],
    limits: { threads: 4, bodyBytes: 1000, pageEntries: 100 },
    workspaceRoots: [],
    counts: {
      queued: 0,
      running: 1,
      paused: 0,
      waiting: 0,
      interrupted: 0,
      completed: 0,
      failed: 0,
      cancelled: 0,
    },
    disk: { storeBytes: 1 },
  };
}

export function threadOf(changed: Partial<ThreadSummary> = {}): ThreadSummary {
  return {
    threadId: createThreadId(Date.now()),
    workflow: 'demo',
    version: '0123456789ABC' as Hash,
    kind: 'definition',
    status: 'running',
    desired: 'run',
    reason: null,
    problem: null,
    retryable: false,
    prompt: 'Do it.',
    role: null,
    stepCount: 0,
    usage: { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 },
    usd: 0,
    parent: null,
    forkedFrom: null,
    imported: false,
    createdAt: '2026-01-31T09:30:00.000Z',
    updatedAt: '2026-01-31T09:30:00.000Z',
    startedAt: null,
    endedAt: null,
    returnCode: null,
    summary: null,
    ...changed,
  };
}
