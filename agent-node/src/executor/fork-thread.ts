import { createThreadId, type Hash, type ThreadId } from '@uncaged/protocol/ids';
import { Problem } from '@uncaged/protocol/problem';
import type { ResolvedWorkflow } from '../registry/index.js';
import {
  type ForkMarker,
  mergeOptions,
  type Store,
  type ThreadOptions,
  type ThreadRow,
} from '../store/index.js';
import { checkForkWorkflow } from './check-fork.js';
import { checkAgents, checkRoles } from './check-request.js';
import { FORK_PROMPT_MAX_BYTES, ROLES_NAMED_MAX } from './limits.js';
import { checkWorkspace, knownThread, makeWorkspace, workerKeyOf } from './start-thread.js';
import { getThread } from './thread-tree.js';

/** Where a fork leaves its source. At most one of the two is given; none = the last committed step is left out. */
export type ForkPlace = {
  /** Keeps the first so many steps; 0 = none. */
  fromStep: number | null;
  /** Keeps everything up to and with the last step of this role. */
  fromRole: string | null;
};

export type ForkRequest = ForkPlace & {
  source: ThreadId;
  /** Task of the next role, once, instead of the one its edge gives. */
  prompt: string | null;
  /** Another version to go on with; null = the source's. */
  workflow: ResolvedWorkflow | null;
  /** Pauses once it has made so many steps of its own; null = goes on to the end, also when the source was to stop. */
  stopAfter: number | null;
  /** What differs from the source's; `agents` of roles that are left out stay. */
  options: Pick<ThreadOptions, 'agents' | 'maxSteps' | 'maxVisits' | 'budget'>;
  /** As for a start. */
  once?: { key: string; body: Uint8Array };
};

/**
 * Stores a new thread, durably, that begins with the first steps of another one and goes on from there; in whatever state the
 * source is, it stays as it is. The directory is the source's and stays as it is, too: files are not taken back to how they
 * were at that step. A fork of an imported thread gets a directory of its own; one of a nested thread stands alone.
 * Nothing runs yet: call `ensureWorker` with the returned key. Throws thread-not-found, version-not-found, invalid-argument
 * (place, role, a workflow that has no way on from there), unknown-agent, invalid-inputs, too-large, invalid-workspace,
 * idempotency-conflict.
 */
export async function forkThread(
  store: Store,
  request: ForkRequest,
  clock: () => number,
): Promise<{ id: ThreadId; workerKey: string }> {
  const source = getThread(store, request.source);
  const keep = placeOf(store, source, request);
  if (request.prompt?.trim() === '')
    throw new Problem(
      'invalid-argument',
      'the task of a fork is empty; leave it out to keep the one that its edge gives',
    );
  if (Buffer.byteLength(request.prompt ?? '') > FORK_PROMPT_MAX_BYTES)
    throw new Problem(
      'too-large',
      `the task of a fork is longer than ${FORK_PROMPT_MAX_BYTES} bytes; put it into a file of the workspace`,
    );
  const version = await versionOf(store, source, keep, request);
  await checkAgents(store, version.name, request.options.agents);
  const stopAt = request.stopAfter === null ? null : keep + request.stopAfter;
  const now = clock();
  const id = createThreadId(now);
  const workerKey = workerKeyOf(version);
  const earlier = store.write('full', () => {
    const known = request.once === undefined ? null : knownThread(store, request.once);
    if (known !== null) return known;
    const { start, options, prompt200 } = getThread(store, source.id);
    store.threads.fork(
      {
        id,
        workflow: version.name,
        version: version.version,
        kind: version.kind,
        worker: workerKey,
        start,
        options: { ...mergeOptions(options, request.options), stopAt },
        prompt200,
        workspace: source.imported ? makeWorkspace(store.root, id) : workspaceOf(source),
        depth: 0,
        parent: null,
        parentSeq: null,
        forkedFrom: source.id,
        forkedSeq: keep,
        imported: false,
        createdAt: now,
      },
      markerOf(store, source, version.version, request),
    );
    if (request.once !== undefined) store.idempotency.put(request.once.key, request.once.body, id);
    return null;
  });
  if (earlier === null) return { id, workerKey };
  return { id: earlier, workerKey: store.threads.get(earlier)?.worker ?? workerKey };
}

/** How many steps are kept. Throws invalid-argument. */
function placeOf(
  store: Store,
  { id, steps }: ThreadRow,
  { fromStep, fromRole }: ForkPlace,
): number {
  if (fromStep !== null && fromRole !== null)
    throw new Problem('invalid-argument', 'give the step or the role to fork from, not both');
  if (fromRole !== null) return placeOfRole(store, id, fromRole);
  if (fromStep === null) return Math.max(steps - 1, 0);
  if (fromStep <= steps) return fromStep;
  throw new Problem(
    'invalid-argument',
    `thread ${id} has ${steps} ${steps === 1 ? 'step' : 'steps'}: a fork keeps 0 to ${steps} of them, not ${fromStep}`,
  );
}

function placeOfRole(store: Store, id: ThreadId, role: string): number {
  const seq = store.steps.lastOfRole(id, role);
  if (seq !== null) return seq;
  const roles = store.steps.roles(id, ROLES_NAMED_MAX);
  const known = roles.length === 0 ? 'it has no steps yet' : `its roles are ${roles.join(', ')}`;
  throw new Problem(
    'invalid-argument',
    `thread ${id} has no step of role ${JSON.stringify(role.slice(0, 100))}; ${known}`,
  );
}

type Version = Pick<ResolvedWorkflow, 'name' | 'kind' | 'version'>;

async function versionOf(
  store: Store,
  source: ThreadRow,
  keep: number,
  { workflow, options: { agents } }: ForkRequest,
): Promise<Version> {
  if (workflow !== null && workflow.version !== source.version) {
    await checkForkWorkflow(store, { source, keep, workflow, agents });
    return workflow;
  }
  // It may be gone by now; better told here than by a thread that fails at once.
  const { loadVersion } = await import('../registry/index.js');
  const { definition } = await loadVersion(store, { ...source, name: source.workflow });
  if (definition !== null) checkRoles(definition, agents);
  return { name: source.workflow, kind: source.kind, version: source.version };
}

function workspaceOf({ id, workspace }: ThreadRow): string {
  try {
    return checkWorkspace(workspace);
  } catch (error) {
    throw new Problem(
      'invalid-workspace',
      `a fork works in the directory of its source, thread ${id}, which cannot be used any more: ${workspace}; make it again first`,
      { cause: error },
    );
  }
}

/** A version that the start does not name is named here, for it is found and kept through the chain. */
function markerOf(
  store: Store,
  source: ThreadRow,
  version: Hash,
  { prompt, options: { agents } }: ForkRequest,
): ForkMarker | null {
  const start = store.nodes.get(source.start);
  const named = start?.type === 'start' ? (start.payload.definition ?? start.payload.bundle) : null;
  const marker: ForkMarker = {
    prompt: prompt?.toWellFormed() ?? null,
    agents: Object.keys(agents).length === 0 ? null : { ...agents },
    definition: version === named ? null : version,
  };
  const isEmpty = Object.values(marker).every((value) => value === null);
  return isEmpty ? null : marker;
}
