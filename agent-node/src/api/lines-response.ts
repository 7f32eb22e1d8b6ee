import { isProblem, Problem, toProblemJson } from '@uncaged/protocol/problem';
import { nanoid } from 'nanoid';
import type { Log } from './context.js';
import { PROGRESS_EVERY_MS } from './limits.js';

/** Says how far long work is, at most some ten times a second; what comes faster is left out. */
export type Progress = (done: number, total: number | null, phase?: Phase) => void;

type Phase = 'mark' | 'sweep' | 'compact' | 'verify' | 'import';

type LongWork = {
  /** Said of progress that does not say another one. */
  phase: Phase;
  log: Log;
  /** Gives what the last line says. `signal`: nobody listens any more. */
  work: (progress: Progress, signal: AbortSignal) => Promise<object>;
};

/**
 * Answers 200 at once and tells of long work line by line (NDJSON): progress, and at the end its result or the problem that it
 * ended with. When the client leaves, the work is told.
 */
export function linesResponse({ phase, log, work }: LongWork): Response {
  const gone = new AbortController();
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      const say = (line: object): void => {
        if (!gone.signal.aborted) controller.enqueue(encoder.encode(`${JSON.stringify(line)}\n`));
      };
      let saidAt = Number.NEGATIVE_INFINITY;
      const progress: Progress = (done, total, current = phase) => {
        const now = performance.now();
        if (now - saidAt < PROGRESS_EVERY_MS) return;
        saidAt = now;
        say({ type: 'progress', phase: current, done, total });
      };
      const finish = async (): Promise<void> => {
        try {
          say({ type: 'result', ...(await work(progress, gone.signal)) });
        } catch (error) {
          say({ type: 'problem', problem: problemOf(error, phase, log) });
        }
        if (!gone.signal.aborted) controller.close();
      };
      // It ends with a line, whatever happens, so nobody has to wait for it.
      void finish();
    },
    cancel: () => gone.abort(),
  });
  return new Response(body, {
    headers: { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' },
  });
}

function problemOf(error: unknown, phase: string, log: Log) {
  return toProblemJson(isProblem(error) ? error : unexpected(error, phase, log));
}

function unexpected(error: unknown, phase: string, log: Log): Problem {
  const id = nanoid();
  log('W3KZ8B1N', `${id} ${phase}: ${error instanceof Error ? error.stack : String(error)}`);
  return new Problem(
    'internal',
    `Something went wrong in the node that should not; its log says more under ${id}.`,
    { cause: error },
  );
}
