import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import {
  type Adapter,
  createWorkflow,
  defineWorkflow,
  END,
  FALLBACK,
  type Meta,
  type RunRoleRequest,
  START,
  type Step,
  type ThreadContext,
  type WorkflowRun,
  type WorkflowRuntime,
} from './index.js';

const HASH = '8JY2SXDDEW4SJ';

const planner = z.object({
  phases: z.array(z.object({ hash: z.string().meta({ casRef: true }), title: z.string() })),
});
const reviewer = z.discriminatedUnion('status', [
  z.object({ status: z.literal('approved') }),
  z.object({ status: z.literal('rejected'), issues: z.array(z.string()) }),
]);

const review = defineWorkflow({
  description: 'Plan and review',
  roles: {
    planner: { description: 'Plans', prompt: 'You plan.', schema: planner },
    reviewer: { description: 'Reviews', prompt: 'You review.', schema: reviewer },
  },
  moderator: {
    [START]: [
      { condition: FALLBACK, role: 'planner', prompt: ({ start }) => `Plan: ${start.content}` },
    ],
    planner: [
      {
        condition: { name: 'empty', check: ({ last }) => last.meta.phases.length === 0 },
        role: END,
        prompt: 'Nothing to do',
      },
      { condition: FALLBACK, role: 'reviewer' },
    ],
    reviewer: [
      {
        condition: {
          name: 'approved',
          description: 'The review found nothing',
          check: ({ last }) => last.meta.status === 'approved',
        },
        role: END,
      },
      {
        condition: FALLBACK,
        role: 'planner',
        prompt: ({ last }) => (last.meta.status === 'rejected' ? last.meta.issues.join() : ''),
      },
    ],
  },
});

function newThread(): ThreadContext & { steps: Step[] } {
  const start = {
    role: START as typeof START,
    content: 'build it',
    inputs: null,
    meta: {},
    parentState: null,
    timestamp: 0,
  };
  return { threadId: 'T', depth: 0, bundleHash: null, start, steps: [] };
}

function fakeRuntime(metas: Meta[], signal = new AbortController().signal) {
  const requests: RunRoleRequest[] = [];
  const stored = new Map<string, string>([[HASH, 'phase']]);
  const runtime: WorkflowRuntime = {
    cas: {
      put: async (text) => {
        stored.set(`put-${stored.size}`, text);
        return `put-${stored.size - 1}`;
      },
      get: async (hash) => stored.get(hash) ?? null,
    },
    signal,
    log: () => {},
    runRole: async (request) => {
      requests.push(request);
      const meta = metas[requests.length - 1] ?? {};
      return { contentHash: HASH, meta, refs: [HASH], childThread: null };
    },
  };
  return { runtime, requests, stored };
}

/** No workflow here takes as many. */
const STEPS_MAX = 20;

/** Runs to the end as the engine does: each yield becomes a step. */
async function drive(run: WorkflowRun, runtime: WorkflowRuntime) {
  const thread = newThread();
  const running = run(thread, runtime);
  for (;;) {
    const { value, done } = await running.next();
    if (done) return { result: value, steps: thread.steps };
    if (thread.steps.length === STEPS_MAX) throw new Error('the workflow does not end');
    thread.steps.push({
      ...value,
      attempt: 1,
      hash: HASH,
      childThread: value.childThread ?? null,
      timestamp: 0,
    });
  }
}

describe('createWorkflow', () => {
  it('runs roles by the engine, as the table says, until the end', async () => {
    const { runtime, requests } = fakeRuntime([
      { phases: [{ hash: HASH, title: 'a' }] },
      { status: 'rejected', issues: ['x', 'y'] },
      { phases: [{ hash: HASH, title: 'b' }] },
      { status: 'approved' },
    ]);
    const { result, steps } = await drive(createWorkflow(review), runtime);
    expect(steps.map(({ role }) => role)).toEqual(['planner', 'reviewer', 'planner', 'reviewer']);
    expect(requests.map(({ task }) => task)).toEqual(['Plan: build it', '', 'x,y', '']);
    expect(result).toEqual({ returnCode: 0, summary: 'Completed after 4 steps.' });
    expect(requests[0]?.prompt).toBe('You plan.');
    expect(requests[0]).not.toHaveProperty('agent');
    expect(JSON.stringify(requests[0]?.schema)).toContain('"casRef":true');
  });

  it('ends with the prompt of the end as summary', async () => {
    const { runtime } = fakeRuntime([{ phases: [] }]);
    const { result } = await drive(createWorkflow(review), runtime);
    expect(result.summary).toBe('Nothing to do');
  });

  it('lets adapters carry roles out, and an override replace one', async () => {
    const asked: string[] = [];
    const adapter: Adapter = (prompt) => async () => {
      asked.push(prompt);
      return {
        meta: {
          phases: [
            { hash: HASH, title: 'a' },
            { hash: '0000000000000', title: 'b' },
          ],
        },
      };
    };
    const approving: Adapter = () =>
      async function* () {
        yield { meta: { status: 'rejected' } };
        yield { meta: { status: 'approved' }, childThread: 'C' };
      };
    const { runtime, requests, stored } = fakeRuntime([]);
    const run = createWorkflow(review, { adapter, overrides: { reviewer: approving } });
    const { steps } = await drive(run, runtime);
    expect(requests).toEqual([]);
    expect(asked).toEqual(['You plan.']);
    expect(stored.get(steps[0]?.contentHash ?? '')).toBe(JSON.stringify(steps[0]?.meta));
    expect(steps[0]?.refs).toEqual([steps[0]?.contentHash, HASH]);
    expect(steps[1]).toMatchObject({ meta: { status: 'approved' }, childThread: 'C' });
  });

  it('hands the name of an agent on', async () => {
    const { runtime, requests } = fakeRuntime([{ phases: [] }]);
    await drive(createWorkflow(review, { overrides: { planner: 'opencode' } }), runtime);
    expect(requests[0]?.agent).toBe('opencode');
  });

  it('says when an adapter gives nothing', async () => {
    const empty: Adapter = () => async function* () {};
    const { runtime } = fakeRuntime([]);
    const running = drive(createWorkflow(review, { adapter: empty }), runtime);
    await expect(running).rejects.toMatchObject({ code: 'bundle-failed' });
  });

  it('stops at an abort before the next role', async () => {
    const abort = new AbortController();
    const { runtime, requests } = fakeRuntime([], abort.signal);
    abort.abort(new Error('killed'));
    await expect(drive(createWorkflow(review), runtime)).rejects.toThrow('killed');
    expect(requests).toEqual([]);
  });

  it('names a role that does not exist, and a table without a way on', async () => {
    const roles = { a: { description: '', prompt: '', schema: null } };
    const stray = createWorkflow({ roles, moderator: () => ({ role: 'toString', prompt: '' }) });
    const { runtime } = fakeRuntime([{}]);
    await expect(drive(stray, runtime)).rejects.toMatchObject({ code: 'no-route' });
    const stuck = createWorkflow({
      roles,
      moderator: { [START]: [{ condition: FALLBACK, role: 'a' }] },
    });
    await expect(drive(stuck, fakeRuntime([{}]).runtime)).rejects.toThrow('after a');
  });

  it('refuses a schema that JSON Schema cannot say', () => {
    const schema = z.object({ at: z.date() });
    const roles = { a: { description: '', prompt: '', schema } };
    expect(() => createWorkflow({ roles, moderator: {} })).toThrow('role "a"');
  });
});

describe('types of a workflow in code', () => {
  it('know the meta of each role', () => {
    const { moderator } = review;
    if (typeof moderator === 'function') throw new Error('a table');
    type Row<K extends keyof typeof moderator> = NonNullable<(typeof moderator)[K]>[number];
    type Context<K extends keyof typeof moderator> = Parameters<
      Exclude<Row<K>['condition'], typeof FALLBACK>['check']
    >[0];
    expectTypeOf<Context<'planner'>['last']['meta']>().toEqualTypeOf<z.infer<typeof planner>>();
    expectTypeOf<Context<'reviewer'>['last']['meta']>().toEqualTypeOf<z.infer<typeof reviewer>>();
    expectTypeOf<Context<typeof START>['last']>().toEqualTypeOf<null>();
    expectTypeOf<Context<'planner'>['steps'][number]['role']>().toEqualTypeOf<
      'planner' | 'reviewer'
    >();
    expectTypeOf<Row<'planner'>['role']>().toEqualTypeOf<'planner' | 'reviewer' | '__end__'>();
  });

  it('refuse roles, fields and overrides that do not exist', () => {
    const roles = { a: { description: '', prompt: '', schema: z.object({ ok: z.boolean() }) } };
    defineWorkflow({
      roles,
      moderator: {
        // @ts-expect-error there is no role b
        [START]: [{ condition: FALLBACK, role: 'b' }],
        a: [
          // @ts-expect-error the meta of a has no field done
          { condition: { name: 'done', check: ({ last }) => last.meta.done }, role: END },
          { condition: { name: 'ok', check: ({ last }) => last.meta.ok }, role: END },
        ],
      },
    });
    // @ts-expect-error there is no role b
    createWorkflow({ roles, moderator: {} }, { overrides: { b: 'agent' } });
  });
});
