import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { MARKER_VARIABLE } from '../process/index.js';
import { workerNodeOptions } from './programs.js';

const STDIN = 0;

export type WorkerProgram = {
  /** The built worker, run by this very node. */
  file: string;
  env: NodeJS.ProcessEnv;
};

/**
 * A worker that loads, and then waits for `call`: it may be started while it is still being read what there is to do. One that
 * is not called before this process ends goes by itself; called, it lives on without it.
 */
export type WorkerProcess = {
  key: string;
  /** Lets it go to work. */
  call: () => void;
  /** Sends it away. Not after `call`. */
  dismiss: () => void;
  /** How it ended: exit code, signal, or why it could not be started. Null: it has not. */
  ended: () => number | string | null;
};

export function workerLog(root: string, key: string): string {
  return join(root, 'logs', 'workers', `${key}.log`);
}

/** Throws what the file system does when its log cannot be opened. */
export function startWorker(root: string, key: string, program: WorkerProgram): WorkerProcess {
  mkdirSync(join(root, 'logs', 'workers'), { recursive: true, mode: 0o700 });
  const output = openSync(workerLog(root, key), 'a', 0o600);
  // Where no process can be made for want of file descriptors it has no stdin either.
  const child = spawn(process.execPath, [...workerNodeOptions, program.file, root, key], {
    cwd: root,
    detached: true,
    stdio: ['pipe', output, output],
    env: workerEnvironment(program.env),
  });
  closeSync(output);
  let ended: number | string | null = null;
  child.on('error', (error) => {
    ended = error.message;
  });
  child.on('exit', (code, signal) => {
    ended = code ?? signal ?? 'an unknown signal';
  });
  // Whoever does not listen any more has ended, and how says `ended`.
  child.stdin?.on('error', () => undefined);
  child.unref();
  return {
    key,
    call: () => void child.stdin?.end('go\n'),
    dismiss: () => void child.stdin?.end(),
    ended: () => ended,
  };
}

/** In the worker: true once it is called, false when it never will be. Blocks: there is nothing else to do until then. */
export function waitForCall(): boolean {
  return readSync(STDIN, Buffer.alloc(1)) > 0;
}

/** Of a service that may have started this process; what agents do is not its business. */
const SERVICE_SECRETS = ['UWF_NODE_TOKEN', 'UWF_SERVE_TOKEN', 'WORKFLOW_DASHBOARD_SECRET'];

/**
 * What a worker, and with it every agent, is given. Started from within a step, a worker is not part of it: it must not end
 * with that step.
 */
function workerEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const left = { ...env };
  for (const name of [MARKER_VARIABLE, ...SERVICE_SECRETS]) delete left[name];
  return left;
}
