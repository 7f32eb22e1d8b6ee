import { spawnSync } from 'node:child_process';

/** What one fresh process measured: one value per repetition. `note` is shown beside the figures, such as peak memory. */
export type Measured = { samples: readonly number[]; note?: string };

/** Runs in a process of its own; `folder` is the bench's own temporary folder, shared by its rounds. */
export type Variant = (folder: string) => Promise<Measured>;

/**
 * One figure beside its baseline. Each round runs every variant in a fresh process, and every other round in the
 * opposite order; the value of a round is the median of its samples, the figure is the median of the rounds.
 */
export type Bench = {
  /** As in the list of targets, such as `P11`. */
  id: string;
  what: string;
  unit: 'ms' | 'µs' | 'ops/s' | 'steps/s' | 'MiB/s' | 'KiB';
  /** Of value ÷ baseline: at most, or at least. Null: shown without a target. */
  target: { atMost: number } | { atLeast: number } | null;
  subject: Variant;
  baseline: { what: string; run: Variant };
  /** Shown beside the two, such as another library. */
  beside?: Readonly<Record<string, Variant>>;
  /** Once before the rounds, in a process of its own: what is the same for all of them. */
  prepare?: (folder: string) => Promise<void>;
  /** Options of node, for every variant alike. */
  nodeOptions?: readonly string[];
  /** 5 unless given, and at least: fewer say nothing of how much a figure varies. */
  rounds?: number;
  /** What a reader could think is in the figure and is not. */
  notMeasured: string;
};

/** From start to exit of a program, ms, `times` times one after the other. Throws when it fails. */
export function timeProgram(
  times: number,
  argv: readonly [string, ...string[]],
  options: { cwd: string; env: NodeJS.ProcessEnv },
): Measured {
  const samples = Array.from({ length: times }, () => {
    const started = performance.now();
    runProgram(argv, options);
    return performance.now() - started;
  });
  return { samples };
}

/** Runs a program to its end and returns its stdout. Throws with its stderr when it fails. */
export function runProgram(
  [program, ...args]: readonly [string, ...string[]],
  options: { cwd: string; env: NodeJS.ProcessEnv },
): string {
  const result = spawnSync(program, args, { ...options, encoding: 'utf8' });
  if (result.error !== undefined) throw result.error;
  if (result.status !== 0) {
    throw new Error(`${program} ${args.join(' ')} ended with ${result.status}:\n${result.stderr}`);
  }
  return result.stdout;
}
