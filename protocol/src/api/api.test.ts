import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  eventSchema,
  findingSchema,
  stepSchema,
  threadDetailSchema,
  threadSummarySchema,
  timeSchema,
  toTime,
  toTimeOrNull,
  workflowDetailSchema,
  workflowEntrySchema,
} from './index.js';

const usage = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 };
const threadId = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
const hash = '8JY2SXDDEW4SJ';
const at = toTime(1_700_000_000_000);

const thread = {
  threadId,
  workflow: 'ship-it',
  version: hash,
  kind: 'definition',
  status: 'failed',
  desired: 'run',
  reason: null,
  problem: { code: 'no-route', message: 'x' },
  retryable: true,
  prompt: 'Do it',
  role: 'build',
  stepCount: 1,
  usage,
  usd: 0,
  parent: null,
  forkedFrom: null,
  imported: false,
  createdAt: at,
  updatedAt: at,
  startedAt: at,
  endedAt: null,
  returnCode: null,
  summary: null,
};

describe('the forms of the API', () => {
  it('say times in ISO 8601, UTC', () => {
    expect(at).toBe('2023-11-14T22:13:20.000Z');
    expect(timeSchema.safeParse(at).success).toBe(true);
    expect(timeSchema.safeParse('2023-11-14T22:13:20+01:00').success).toBe(false);
    expect(toTimeOrNull(null)).toBeNull();
  });

  it('take a thread, a step, an event, a workflow and a finding', () => {
    threadSummarySchema.parse(thread);
    threadDetailSchema.parse({
      ...thread,
      inputs: null,
      start: hash,
      head: hash,
      depth: 0,
      parentSeq: null,
      forkedSeq: null,
      workspace: '/srv',
      workspaceMade: false,
      options: { agents: {}, maxSteps: null, maxVisits: null, budget: null, stopAt: 3 },
      owner: { pid: 7 },
      queue: { position: 2, waitsFor: 'workflow' },
      current: null,
    });
    stepSchema.parse({
      threadId,
      seq: 1,
      attempt: 1,
      role: 'build',
      agent: 'run',
      status: 'committed',
      problem: null,
      hash,
      contentHash: hash,
      content: 'x',
      contentSize: 1,
      contentProblem: null,
      meta: { $status: 'ok' },
      startedAt: at,
      committedAt: at,
      childThread: null,
      usage,
      usd: 0,
    });
    eventSchema.parse({ seq: 1, type: 'step.committed', thread: threadId, at, data: {} });
    const entry = {
      name: 'ship-it',
      hash,
      kind: 'definition',
      origin: 'registry',
      timestamp: at,
      description: null,
    };
    workflowEntrySchema.parse(entry);
    workflowDetailSchema.parse({
      ...entry,
      inputs: null,
      descriptor: { description: '', roles: {}, graph: { edges: [] } },
      history: [{ hash, kind: 'definition', timestamp: at }],
    });
    const finding = { severity: 'error', code: 'x', path: ['roles', 0], message: 'm', fix: 'f' };
    findingSchema.parse({ ...finding, line: 1, column: null });
  });

  it('refuse a problem that is not in the table', () => {
    const problem = { code: 'made-up', message: 'x' };
    expect(threadSummarySchema.safeParse({ ...thread, problem }).success).toBe(false);
  });

  it('can be said in JSON Schema', () => {
    const schemas = [
      threadDetailSchema,
      stepSchema,
      eventSchema,
      workflowDetailSchema,
      findingSchema,
    ];
    for (const schema of schemas)
      expect(z.toJSONSchema(schema, { io: 'input' })).toBeTypeOf('object');
  });
});
