import { appendFile, readFile, rename, writeFile } from 'node:fs/promises';
import { nodeNameSchema } from '@uncaged/protocol/ids';
import { z } from 'zod';

/** As long as a node remembers a key: after that it may stand for something new. */
const KEPT_MS = 24 * 60 * 60 * 1000;
/** Keys remembered at once; some 20 MB at the longest names. */
const KEYS_MAX = 100_000;

const recordSchema = z.object({
  at: z.int(),
  key: z.string().max(200),
  node: nodeNameSchema,
});
type StartRecord = z.infer<typeof recordSchema>;

/**
 * Which node a start with an Idempotency-Key was given to, so that the same key again goes there and nowhere else, also when
 * that node is away or the gateway was started anew.
 */
export type StartMemory = {
  get: (key: string) => string | null;
  /** Stored when it resolves: to be awaited before the node is asked. Throws what the file system throws. */
  set: (key: string, node: string) => Promise<void>;
};

/** Reads what is still of use and writes the file anew, so that it does not grow for ever. `now`: ms since epoch. */
export async function openStartMemory(file: string, now: () => number): Promise<StartMemory> {
  const starts = new Map<string, StartRecord>();
  const remember = (record: StartRecord): void => {
    starts.delete(record.key);
    starts.set(record.key, record);
    if (starts.size > KEYS_MAX) starts.delete(starts.keys().next().value!);
  };
  for (const line of (await readIfThere(file)).split('\n')) {
    const record = parseLine(line);
    if (record !== null && now() - record.at < KEPT_MS) remember(record);
  }
  const temporary = `${file}.${process.pid}.new`;
  await writeFile(temporary, [...starts.values()].map(toLine).join(''), { mode: 0o600 });
  await rename(temporary, file);

  return {
    get: (key) => {
      const record = starts.get(key);
      return record === undefined || now() - record.at >= KEPT_MS ? null : record.node;
    },
    set: async (key, node) => {
      const record = { at: now(), key, node };
      await appendFile(file, toLine(record), { mode: 0o600, flush: true });
      remember(record);
    },
  };
}

function toLine(record: StartRecord): string {
  return `${JSON.stringify(record)}\n`;
}

/** Null for a line that was torn by a crash: the start it tells of was never handed on. */
function parseLine(line: string): StartRecord | null {
  try {
    return recordSchema.safeParse(JSON.parse(line)).data ?? null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

async function readIfThere(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}
