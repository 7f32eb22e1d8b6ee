import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createThreadId, type ThreadId } from '@uncaged/protocol/ids';
import type { Definition } from '@uncaged/protocol/workflow';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { driveThread } from '../engine/index.js';
import { createValidator } from '../extract/index.js';
import { loadVersion, resolveWorkflow } from '../registry/index.js';
import { openStore, type Store, type ThreadRow } from '../store/index.js';
import { createEngineHost } from './engine-host.js';
import { type ForkRequest, forkThread } from './fork-thread.js';
import { readLimits } from './limits.js';
import { startThread } from './start-thread.js';

const ROLES = ['ada', 'bob', 'cyd'];
const STATUSES = ['yes', 'no'];
const NONE = { agents: {}, maxSteps: null, maxVisits: null, budget: null };
const MAX_STEPS = 6;

type Target = string;
type Graph = Record<string, Record<string, Target>>;

async function temporaryStore(): Promise<{ store: Store; dispose: () => void }> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'uwf-fork-')));
  const store = await openStore(root, { clock: Date.now });
  return {
    store,
    dispose: () => {
      store.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

async function storeOfTest(): Promise<Store> {
  const { store, dispose } = await temporaryStore();
  onTestFinished(dispose);
  return store;
}

function definitionOf(name: string, graph: Graph, first: string): Definition {
  const role = {
    description: null,
    goal: null,
    capabilities: null,
    procedure: null,
    output: null,
    frontmatter: null,
    run: null,
    agent: 'player',
    timeout: null,
    retry: null,
    maxVisits: null,
    workspace: null,
  };
  const edges = Object.entries(graph).map(([from, byStatus]) => [
    from,
    Object.fromEntries(
      Object.entries(byStatus).map(([status, to]) => [status, { role: to, prompt: `for ${to}` }]),
    ),
  ]);
  return {
    name,
    description: null,
    inputs: null,
    maxSteps: null,
    budget: null,
    roles: Object.fromEntries(Object.keys(graph).map((each) => [each, role])),
    graph: { __start__: { _: { role: first, prompt: 'begin' } }, ...Object.fromEntries(edges) },
    moderator: null,
  };
}

/** The nth visit of a role always gets the same answer. */
function play(store: Store, answers: Record<string, string[]>): void {
  const texts = Object.entries(answers).map(([role, statuses]) => [
    role,
    statuses.map((status, visit) => `---\n$status: ${status}\nvisit: ${visit}\n---\n${role} said`),
  ]);
  const agents = { player: { kind: 'scripted', answers: Object.fromEntries(texts) } };
  writeFileSync(
    join(store.root, 'workflow.yaml'),
    JSON.stringify({ config: { agents }, workflows: {} }),
  );
}

function begin(store: Store, definition: Definition): ThreadId {
  const version = store.write('full', () => store.nodes.put('definition', definition));
  return startThread(
    store,
    {
      workflow: { name: definition.name, kind: 'definition', version },
      prompt: 'do it',
      inputs: null,
      workspace: null,
      options: { ...NONE, maxSteps: MAX_STEPS, stopAt: null },
    },
    Date.now,
  ).id;
}

/** Runs the one queued thread in this process until it rests. */
async function drive(store: Store): Promise<ThreadRow> {
  const identity = { pid: process.pid, processStart: '1', bootId: 'boot' };
  const owner = { workerKey: 'definitions', instance: 'here', identity, renewedAt: 1 };
  const thread = store.write('full', () =>
    store.threads.claimNext(owner, { node: 9, workflows: {} }),
  );
  if (thread === null) throw new Error('nothing is queued');
  const host = createEngineHost({
    store,
    limits: readLimits({}),
    env: {},
    validator: createValidator(),
    log: () => undefined,
    ring: () => undefined,
  });
  const workflow = await loadVersion(store, { ...thread, name: thread.workflow });
  const control = {
    signal: new AbortController().signal,
    pauseRequested: () => false,
    nextChange: () => new Promise<void>(() => undefined),
  };
  const settlement = await driveThread(host, thread, workflow, control);
  if (settlement === null) throw new Error('the lease was lost');
  store.write('full', () => store.threads.settle(thread.id, thread.fence, settlement));
  return store.threads.get(thread.id)!;
}

function requestOf(source: ThreadId, fields: Partial<ForkRequest> = {}): ForkRequest {
  const place = { fromStep: null, fromRole: null, prompt: null, workflow: null, stopAfter: null };
  return { source, ...place, options: NONE, ...fields };
}

const forkAt = (store: Store, source: ThreadId, fields: Partial<ForkRequest>) =>
  forkThread(store, requestOf(source, fields), Date.now);

function metasOf(store: Store, thread: ThreadId) {
  return store.steps.committed(thread, { afterSeq: 0, limit: 100 }).map(({ hash, role }) => {
    const node = store.nodes.get(hash!);
    return [role, node?.type === 'state' ? node.payload.meta : null];
  });
}

/** Every row of a thread, and every node there is, byte for byte. */
function everythingOf(store: Store, id: ThreadId) {
  return {
    row: store.threads.get(id),
    steps: store.steps.list(id),
    events: store.events.after({ seq: 0, thread: id, limit: 1_000 }),
    lease: store.leases.get(id),
  };
}
function nodesOf(store: Store): Map<string, string> {
  const found = store.nodes.list({ limit: 10_000 });
  return new Map(
    found.map(({ hash }) => [hash, Buffer.from(store.nodes.getBytes(hash)!).toString('hex')]),
  );
}

const target = fc.constantFrom(...ROLES, ...ROLES, '__end__');
const graphs = fc.record(
  Object.fromEntries(
    ROLES.map((role) => [
      role,
      fc.record(Object.fromEntries(STATUSES.map((status) => [status, target]))),
    ]),
  ),
);
const answersOf = fc.record(
  Object.fromEntries(
    ROLES.map((role) => [
      role,
      fc.array(fc.constantFrom(...STATUSES), { minLength: MAX_STEPS, maxLength: MAX_STEPS }),
    ]),
  ),
);

describe('a fork of any chain at any step', () => {
  it('run on with the same answers, comes to the same metas, and its source is as it was', async () => {
    await fc.assert(
      fc.asyncProperty(
        graphs,
        answersOf,
        fc.constantFrom(...ROLES),
        async (graph, answers, first) => {
          const { store, dispose } = await temporaryStore();
          try {
            play(store, answers);
            begin(store, definitionOf('random', graph as Graph, first));
            const source = await drive(store);
            const [before, nodes] = [everythingOf(store, source.id), nodesOf(store)];
            const metas = metasOf(store, source.id);
            expect(metas.length).toBe(source.steps);
            for (let keep = 0; keep <= source.steps; keep++) {
              const { id } = await forkAt(store, source.id, { fromStep: keep });
              const forked = await drive(store);
              expect(forked.id).toBe(id);
              expect(metasOf(store, id)).toEqual(metas);
              expect(forked).toMatchObject({
                status: source.status,
                reason: source.reason,
                start: source.start,
                forkedSeq: keep,
              });
            }
            expect(everythingOf(store, source.id)).toEqual(before);
            const after = nodesOf(store);
            for (const [hash, bytes] of nodes) expect(after.get(hash)).toBe(bytes);
          } finally {
            dispose();
          }
        },
      ),
      { numRuns: 12 },
    );
  });
});

const LINE: Graph = {
  ada: { yes: 'bob' },
  bob: { yes: 'cyd' },
  cyd: { yes: 'ada', no: '__end__' },
};

async function ranLine(store: Store): Promise<ThreadRow> {
  play(store, { ada: ['yes', 'yes'], bob: ['yes', 'yes'], cyd: ['yes', 'no'] });
  begin(store, definitionOf('line', LINE, 'ada'));
  return drive(store);
}

describe('the place of a fork', () => {
  it('is before the last step, a number of steps, or the last step of a role', async () => {
    const store = await storeOfTest();
    const { id, steps } = await ranLine(store);
    expect(steps).toBe(6);
    const place = async (fields: Partial<ForkRequest>) =>
      store.threads.get((await forkAt(store, id, fields)).id)?.forkedSeq;
    expect(await place({})).toBe(5);
    expect(await place({ fromStep: 0 })).toBe(0);
    expect(await place({ fromStep: 6 })).toBe(6);
    expect(await place({ fromRole: 'ada' })).toBe(4);
    expect(await place({ fromRole: 'cyd' })).toBe(6);
  });

  it('must be one that there is', async () => {
    const store = await storeOfTest();
    const { id } = await ranLine(store);
    const refused = (fields: Partial<ForkRequest>) => expect(forkAt(store, id, fields)).rejects;
    await refused({ fromRole: 'eve' }).toThrow('its roles are ada, bob, cyd');
    await refused({ fromStep: 7 }).toThrow('a fork keeps 0 to 6 of them, not 7');
    await refused({ fromStep: 1, fromRole: 'ada' }).toThrow('not both');
    await refused({ prompt: 'x'.repeat(1024 * 1024 + 1) }).toThrow('longer than 1048576 bytes');
    await refused({ options: { ...NONE, agents: { eve: 'player' } } }).toThrow('has no role eve');
    await expect(forkAt(store, createThreadId(1), {})).rejects.toThrow(
      expect.objectContaining({ code: 'thread-not-found' }),
    );
    expect(store.threads.list({ limit: 9 })).toHaveLength(1);
  });

  it('of a thread without steps is its beginning', async () => {
    const store = await storeOfTest();
    const id = begin(store, definitionOf('line', LINE, 'ada'));
    const forked = store.threads.get((await forkAt(store, id, {})).id)!;
    expect(forked).toMatchObject({ forkedSeq: 0, head: forked.start, steps: 0 });
    await expect(forkAt(store, id, { fromRole: 'ada' })).rejects.toThrow('it has no steps yet');
  });
});

describe('a fork', () => {
  it('takes over the options of its source, but for what is given', async () => {
    const store = await storeOfTest();
    const { id } = await ranLine(store);
    const options = { ...NONE, agents: { bob: 'player' }, maxSteps: 20 };
    const first = (await forkAt(store, id, { options })).id;
    const second = (await forkAt(store, first, { options: { ...NONE, maxVisits: 9 } })).id;
    expect(store.threads.get(second)?.options).toEqual({
      agents: { bob: 'player' },
      maxSteps: 20,
      maxVisits: 9,
      budget: null,
      stopAt: null,
    });
  });

  it('of a nested thread stands alone, and remembers where it is from', async () => {
    const store = await storeOfTest();
    const parent = await ranLine(store);
    const child = createThreadId(Date.now());
    store.write('full', () =>
      store.threads.create({
        ...parent,
        id: child,
        depth: 1,
        parent: parent.id,
        parentSeq: 2,
        createdAt: Date.now(),
      }),
    );
    const { id } = await forkAt(store, child, {});
    expect(store.threads.get(id)).toMatchObject({
      parent: null,
      parentSeq: null,
      depth: 0,
      forkedFrom: child,
    });
  });

  it('of an imported thread gets a directory of its own and may run', async () => {
    const store = await storeOfTest();
    const thread = await ranLine(store);
    const id = createThreadId(Date.now());
    store.write('full', () =>
      store.threads.fork(
        {
          ...thread,
          id,
          imported: true,
          workspace: '/of/another/machine',
          forkedFrom: thread.id,
          forkedSeq: 3,
          createdAt: Date.now(),
        },
        null,
      ),
    );
    const forked = store.threads.get((await forkAt(store, id, {})).id)!;
    expect(forked).toMatchObject({
      imported: false,
      workspace: join(store.root, 'work', forked.id),
      forkedSeq: 2,
    });
  });

  it('needs the directory of its source', async () => {
    const store = await storeOfTest();
    const { id, workspace } = await ranLine(store);
    rmSync(workspace, { recursive: true });
    await expect(forkAt(store, id, {})).rejects.toThrow(
      expect.objectContaining({ code: 'invalid-workspace' }),
    );
    mkdirSync(workspace);
    await forkAt(store, id, {});
  });

  it('fails when the version of its source is gone, and names it', async () => {
    const store = await storeOfTest();
    const thread = await ranLine(store);
    const id = createThreadId(Date.now());
    const gone = '0123456789ABC';
    for (const kind of ['definition', 'bundle'] as const) {
      const other = { ...thread, id: kind === 'bundle' ? id : createThreadId(Date.now()), kind };
      store.write('full', () =>
        store.threads.create({ ...other, version: gone, createdAt: Date.now() }),
      );
      await expect(forkAt(store, other.id, {})).rejects.toThrow(gone);
    }
  });

  it('happens once for a key', async () => {
    const store = await storeOfTest();
    const { id } = await ranLine(store);
    const once = { key: 'k1', body: Buffer.from('asked') };
    const made = await Promise.all([1, 2, 3].map(() => forkAt(store, id, { once })));
    expect(new Set(made.map((each) => each.id)).size).toBe(1);
    await expect(
      forkAt(store, id, { once: { key: 'k1', body: Buffer.from('other') } }),
    ).rejects.toThrow(expect.objectContaining({ code: 'idempotency-conflict' }));
  });
});

describe('a fork with another workflow', () => {
  const other = async (store: Store, graph: Graph, first = 'ada') => {
    const version = store.write('full', () =>
      store.nodes.put('definition', definitionOf('other', graph, first)),
    );
    return resolveWorkflow(store, version, { cwd: null });
  };

  it('goes on where that has a way on, whatever roles came before', async () => {
    const store = await storeOfTest();
    const { id, start } = await ranLine(store);
    const workflow = await other(store, { bob: { yes: 'dan' }, dan: { yes: '__end__' } }, 'bob');
    play(store, { dan: ['yes'] });
    const { id: made } = await forkAt(store, id, { fromRole: 'bob', workflow });
    const forked = await drive(store);
    expect(forked).toMatchObject({ id: made, status: 'completed', start, workflow: 'other' });
    expect(metasOf(store, made).map(([role]) => role)).toEqual([
      'ada',
      'bob',
      'cyd',
      'ada',
      'bob',
      'dan',
    ]);
    // The version is held by the chain, also for a fork from before the place where it was changed.
    const again = store.threads.get((await forkAt(store, made, { fromStep: 2 })).id)!;
    expect(again.version).toBe(workflow.version);
    expect(store.nodes.get(again.head)).toMatchObject({
      payload: {
        role: '__fork__',
        meta: { prompt: null, agents: null, definition: workflow.version },
      },
    });
    expect(store.nodes.get(again.head)?.refs).toContain(workflow.version);
  });

  it('is refused where that has none, and tells why', async () => {
    const store = await storeOfTest();
    const { id } = await ranLine(store);
    const workflow = await other(store, { dan: { yes: '__end__' } }, 'dan');
    await expect(forkAt(store, id, { fromStep: 2, workflow })).rejects.toThrow(
      /workflow other @ \w{13} cannot go on from step 2 \(bob\) of thread/,
    );
    await forkAt(store, id, { fromStep: 0, workflow });
    const wanting = {
      ...workflow,
      definition: { ...workflow.definition!, inputs: { type: 'object', required: ['issue'] } },
    };
    await expect(forkAt(store, id, { fromStep: 0, workflow: wanting })).rejects.toThrow(
      expect.objectContaining({ code: 'invalid-inputs' }),
    );
    const agents = { ada: 'player' };
    await expect(
      forkAt(store, id, { fromStep: 0, workflow, options: { ...NONE, agents } }),
    ).rejects.toThrow('has no role ada');
  });
});
