import { mkdirSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createThreadId, type Hash, type ThreadId } from '@uncaged/protocol/ids';
import { PROMPT_MAX_BYTES } from '@uncaged/protocol/limits';
import { Problem } from '@uncaged/protocol/problem';
import {
  type Store,
  type ThreadOptions,
  type WorkflowKind,
  workDirectory,
} from '../store/index.js';

/** First characters of a prompt kept in the thread's row for lists. */
const PROMPT_HEAD_CHARS = 200;
/** Key of the one worker that runs all definitions; a bundle's worker has the bundle's hash. */
export const DEFINITIONS_WORKER = 'definitions';

export type StartRequest = {
  workflow: { name: string; kind: WorkflowKind; version: Hash };
  prompt: string;
  inputs: Record<string, unknown> | null;
  /** Absolute or relative to the caller's directory; must exist. Null: one is made below `work`, named by the id. */
  workspace: string | null;
  options: ThreadOptions;
  /** The same key again, with the same digest of what was asked for, gives the thread of the first time. */
  once?: { key: string; body: Uint8Array };
};

/**
 * Stores a thread as `queued`, durably. Nothing runs yet: call `ensureWorker` with the returned key.
 * Throws too-large, invalid-workspace, idempotency-conflict.
 */
export function startThread(
  store: Store,
  request: StartRequest,
  clock: () => number,
): { id: ThreadId; workerKey: string } {
  const { workflow, inputs, options } = request;
  checkPrompt(request.prompt);
  const given = request.workspace === null ? null : checkWorkspace(request.workspace);
  const now = clock();
  const id = createThreadId(now);
  const workerKey = workerKeyOf(workflow);
  const earlier = store.write('full', () => {
    const known = request.once === undefined ? null : knownThread(store, request.once);
    if (known !== null) return known;
    insertThread(store, {
      id,
      workflow,
      prompt: request.prompt,
      inputs,
      workspace: given ?? makeWorkspace(store.root, id),
      givenWorkspace: given,
      options,
      nestedIn: null,
      createdAt: now,
    });
    if (request.once !== undefined) store.idempotency.put(request.once.key, request.once.body, id);
    return null;
  });
  if (earlier === null) return { id, workerKey };
  return { id: earlier, workerKey: store.threads.get(earlier)?.worker ?? workerKey };
}

/** Throws too-large. */
export function checkPrompt(prompt: string): void {
  if (Buffer.byteLength(prompt) > PROMPT_MAX_BYTES)
    throw new Problem(
      'too-large',
      `the prompt is longer than ${PROMPT_MAX_BYTES} bytes; put it into a file of the workspace`,
    );
}

type FreshThread = Pick<StartRequest, 'workflow' | 'prompt' | 'inputs' | 'options'> & {
  id: ThreadId;
  workspace: string;
  /** Null when the node made it: it is no part of what was asked for then. */
  givenWorkspace: string | null;
  nestedIn: { parent: ThreadId; seq: number; state: Hash | null; depth: number } | null;
  createdAt: number;
};

/** The start node and the row of a thread without steps, in the caller's transaction. */
export function insertThread(store: Store, thread: FreshThread): void {
  const { id, workflow, inputs, options, workspace, givenWorkspace, nestedIn, createdAt } = thread;
  const prompt = thread.prompt.toWellFormed();
  const start = store.nodes.put('start', {
    workflow: workflow.name,
    definition: workflow.kind === 'definition' ? workflow.version : null,
    bundle: workflow.kind === 'bundle' ? workflow.version : null,
    prompt: store.nodes.putText(prompt),
    inputs,
    depth: nestedIn?.depth ?? 0,
    parentState: nestedIn?.state ?? null,
    workspace: givenWorkspace,
  });
  store.threads.create({
    id,
    workflow: workflow.name,
    version: workflow.version,
    kind: workflow.kind,
    worker: workerKeyOf(workflow),
    start,
    options,
    prompt200: [...prompt.slice(0, PROMPT_HEAD_CHARS * 2)].slice(0, PROMPT_HEAD_CHARS).join(''),
    workspace,
    depth: nestedIn?.depth ?? 0,
    parent: nestedIn?.parent ?? null,
    parentSeq: nestedIn?.seq ?? null,
    forkedFrom: null,
    forkedSeq: null,
    imported: false,
    createdAt,
  });
}

/** Key of the worker that runs this version. */
export function workerKeyOf({ kind, version }: { kind: WorkflowKind; version: Hash }): string {
  return kind === 'definition' ? DEFINITIONS_WORKER : version;
}

/** The thread that was started under this key before; null when none was. */
export function knownThread(
  store: Store,
  { key, body }: NonNullable<StartRequest['once']>,
): ThreadId | null {
  const known = store.idempotency.get(key);
  if (known === null) return null;
  if (Buffer.compare(known.body, body) === 0) return known.thread;
  throw new Problem(
    'idempotency-conflict',
    `the Idempotency-Key stands for another request already, which started thread ${known.thread}; make a new key for a new request`,
  );
}

/** A directory of its own. When the thread is not stored after all, it stays behind empty. */
export function makeWorkspace(root: string, id: ThreadId): string {
  const path = join(workDirectory(root), id);
  mkdirSync(path, { recursive: true, mode: 0o700 });
  return realpathSync(path);
}

/** Real path of a directory that exists. */
export function checkWorkspace(path: string): string {
  // Nothing at all would be taken for the current directory: most likely a variable that is not set.
  if (path === '')
    throw new Problem('invalid-workspace', 'the workspace is empty; name a directory');
  try {
    const real = realpathSync(path);
    if (statSync(real).isDirectory()) return real;
  } catch (error) {
    throw new Problem(
      'invalid-workspace',
      `workspace ${path} does not exist or cannot be entered`,
      { cause: error },
    );
  }
  throw new Problem('invalid-workspace', `workspace ${path} is not a directory`);
}
