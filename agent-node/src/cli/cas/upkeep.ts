import type { Collected, UpkeepProgress, Verified } from '../../store/index.js';
import type { CommandInput } from '../run-command.js';

const CLEAR_LINE = '\r\u001b[K';

/** Ended by a signal, as shells say it. */
export const INTERRUPTED_EXIT_CODE = 130;

const VERBS: Record<UpkeepProgress['phase'], string> = {
  mark: 'looking for what is needed',
  sweep: 'deleting what is not',
  compact: 'giving space back',
  verify: 'hashing',
};

/** Runs long work to its end, on a terminal with a line that tells how far it is. Null when Ctrl-C stopped it. */
export async function watchUpkeep<R extends Collected | Verified>(
  { err, signal }: Pick<CommandInput, 'err' | 'signal'>,
  work: AsyncGenerator<UpkeepProgress, R, undefined>,
): Promise<R | null> {
  try {
    for (;;) {
      const step = await work.next();
      if (step.done) return step.value;
      if (err.isTTY) err.write(`${CLEAR_LINE}${progressText(step.value)}`);
      if (signal.aborted) {
        await work.return(undefined as never);
        return null;
      }
    }
  } finally {
    if (err.isTTY) err.write(CLEAR_LINE);
  }
}

function progressText({ phase, done, total }: UpkeepProgress): string {
  const part = total === null || total === 0 ? '' : ` ${Math.floor((done / total) * 100)} %`;
  return `… ${VERBS[phase]}${part}`;
}
