import type { OutputStream } from './output/index.js';

export type Environment = Readonly<Record<string, string | undefined>>;

export type InputStream = AsyncIterable<Uint8Array | string> & { isTTY?: boolean };

/** One run of the program: what it was given, and where its exit code is put. */
export type CliContext = {
  /** Without node and the script. */
  argv: readonly string[];
  env: Environment;
  /** Absolute. A function, because a process may stand in a directory that is gone. Throws invalid-workspace. */
  cwd: () => string;
  stdin: InputStream;
  stdout: OutputStream;
  stderr: OutputStream;
  /** ms since epoch */
  clock: () => number;
  /** Aborted by Ctrl-C or TERM. Asking for it takes over these signals; a second one ends the process at once. */
  interruption: () => AbortSignal;
  /** Set by the command that ran. */
  exitCode: number;
};
