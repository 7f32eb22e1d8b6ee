import { mkdirSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createThreadId, type Hash, type ThreadId } from '@uncaged/protocol/ids';
import { PROMPT_MAX_BYTES } from '@uncaged/protocol/limits';
import { Problem } from '@uncaged/protocol/problem';
import type { Store, ThreadOptions, WorkflowKind } from '../store/index.js';

/** First characters of a prompt kept in the thread's row for lists. */
const PROMPT_HEAD_CHARS = 200;
/** Key of the one worker that runs all definitions; a bundle's worker has the bundle's hash. */
const DEFINITIONS_WORKER = 'definitions';

export type StartRequest = {
  workflow: { name: string; kind: WorkflowKind; version: Hash };
  prompt: string;
  inputs: Record<string, unknown> | null;
  /** Absolute or relative to the caller's directory; must exist. Null: `<root>/work/<id>` is made. */
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
  if (Buffer.byteLength(request.prompt) > PROMPT_MAX_BYTES)
    throw new Problem(
      'too-large',
      `the prompt is longer than ${PROMPT_MAX_BYTES} bytes; put it into a file of the workspace`,
    );
  const given = request.workspace === null ? null : checkWorkspace(request.workspace);
  const prompt = request.prompt.toWellFormed();
  const now = clock();
  const id = createThreadId(now);
  const workerKey = workerKeyOf(workflow);
  const earlier = store.write('full', () => {
    const known = request.once === undefined ? null : knownThread(store, request.once);
    if (known !== null) return known;
    const workspace = given ?? makeWorkspace(store.root, id);
    const start = store.nodes.put('start', {
      workflow: workflow.name,
      definition: workflow.kind === 'definition' ? workflow.version : null,
      bundle: workflow.kind === 'bundle' ? workflow.version : null,
      prompt: store.nodes.putText(prompt),
      inputs,
      depth: 0,
      parentState: null,
      workspace: given,
    });
    store.threads.create({
      id,
      workflow: workflow.name,
      version: workflow.version,
      kind: workflow.kind,
      worker: workerKey,
      start,
      options,
      prompt200: [...prompt.slice(0, PROMPT_HEAD_CHARS * 2)].slice(0, PROMPT_HEAD_CHARS).join(''),
      workspace,
      depth: 0,
      parent: null,
      parentSeq: null,
      forkedFrom: null,
      forkedSeq: null,
      imported: false,
      createdAt: now,
    });
    if (request.once !== undefined) store.idempotency.put(request.once.key, request.once.body, id);
    return null;
  });
  if (earlier === null) return { id, workerKey };
  return { id: earlier, workerKey: store.threads.get(earlier)?.worker ?? workerKey };
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
  const path = join(root, 'work', id);
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
