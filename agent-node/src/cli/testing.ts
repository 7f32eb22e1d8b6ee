import { runCli } from './program.js';

/** One run in this process; what it wrote, and its exit code. For tests. */
export type CliRun = { code: number; out: string; err: string };

export async function runForTest(
  argv: readonly string[],
  options: {
    root: string;
    cwd?: string;
    stdin?: string | Uint8Array;
    env?: Record<string, string>;
    columns?: number;
  },
): Promise<CliRun> {
  const stream = () => {
    const chunks: Buffer[] = [];
    return {
      text: () => Buffer.concat(chunks).toString('utf8'),
      write: (chunk: string | Uint8Array) => chunks.push(Buffer.from(chunk as Uint8Array)) > 0,
      ...(options.columns === undefined ? {} : { isTTY: true, columns: options.columns }),
    };
  };
  const stdout = stream();
  const stderr = stream();
  const code = await runCli({
    argv,
    env: { WORKFLOW_STORAGE_ROOT: options.root, ...options.env },
    cwd: () => options.cwd ?? '/',
    stdin: (async function* () {
      if (options.stdin !== undefined) yield Buffer.from(options.stdin as Uint8Array);
    })(),
    stdout,
    stderr,
    clock: Date.now,
    interruption: () => new AbortController().signal,
    exitCode: 0,
  });
  return { code, out: stdout.text(), err: stderr.text() };
}
