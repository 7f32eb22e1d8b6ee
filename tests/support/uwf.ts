import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const BIN = fileURLToPath(new URL('../../agent-node/bin/uwf.js', import.meta.url));
/** Far above what any command of a test needs: a hang fails by name instead of stalling the suite. */
const COMMAND_MAX_MS = 60_000;

export type Result = { code: number | null; stdout: string; stdoutBytes: Buffer; stderr: string };

type Options = {
  input?: string | Uint8Array;
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  /** Hears what it says while it runs. */
  onStderr?: (text: string) => void;
};

/** A machine of its own: a storage root and a directory to work in, gone with `dispose`. */
export type Machine = {
  root: string;
  cwd: string;
  env: NodeJS.ProcessEnv;
  uwf: (args: readonly string[], options?: Options) => Promise<Result>;
  /** stdout of a command that must succeed, parsed. */
  json: <T = Record<string, unknown>>(args: readonly string[]) => Promise<T>;
  dispose: () => Promise<void>;
};

export function createMachine(limits: Record<string, number> = {}): Machine {
  const base = mkdtempSync(join(tmpdir(), 'uwf-test-'));
  const root = join(base, 'root');
  const env: NodeJS.ProcessEnv = {
    PATH: process.env.PATH,
    HOME: base,
    LANG: 'C.UTF-8',
    TZ: 'UTC',
    UNCAGED_WORKFLOW_STORAGE_ROOT: root,
    UWF_LIMITS: JSON.stringify({ killGraceMs: 500, ...limits }),
  };
  const machine: Machine = {
    root,
    cwd: base,
    env,
    uwf: (args, options = {}) =>
      run(args, {
        cwd: options.cwd ?? base,
        env: { ...env, ...options.env },
        input: options.input ?? '',
        onStderr: options.onStderr ?? (() => undefined),
      }),
    json: async <T>(args: readonly string[]) => {
      const result = await machine.uwf([...args, '--json']);
      if (result.code !== 0)
        throw new Error(`uwf ${args.join(' ')} ended with ${result.code}: ${result.stderr}`);
      return JSON.parse(result.stdout) as T;
    },
    dispose: async () => {
      await endThreads(machine);
      rmSync(base, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
    },
  };
  return machine;
}

/** What a test left running is ended the way a user would; an interrupted thread may have left its script behind. */
async function endThreads(machine: Machine): Promise<void> {
  const unfinished = 'queued,running,waiting,paused,interrupted';
  const listed = await machine.uwf(['thread', 'list', '--status', unfinished, '--json']);
  if (listed.code !== 0) return;
  const { items } = JSON.parse(listed.stdout) as { items: { threadId: string }[] };
  for (const { threadId } of items) await machine.uwf(['thread', 'kill', threadId]);
}

function run(
  args: readonly string[],
  options: {
    cwd: string;
    env: NodeJS.ProcessEnv;
    input: string | Uint8Array;
    onStderr: (text: string) => void;
  },
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [BIN, ...args], { cwd: options.cwd, env: options.env });
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(
        new Error(
          `uwf ${args.join(' ')} took longer than ${COMMAND_MAX_MS} ms; stderr: ${Buffer.concat(stderr)}`,
        ),
      );
    }, COMMAND_MAX_MS);
    child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => {
      stderr.push(chunk);
      options.onStderr(chunk.toString());
    });
    child.stdin.on('error', () => undefined); // a command that reads no input may be gone already; its exit code tells
    child.stdin.end(options.input);
    child.on('error', reject);
    child.on('close', (code) => {
      clearTimeout(timer);
      const stdoutBytes = Buffer.concat(stdout);
      resolve({
        code,
        stdout: stdoutBytes.toString(),
        stdoutBytes,
        stderr: Buffer.concat(stderr).toString(),
      });
    });
  });
}
