import { Problem } from '@uncaged/protocol/problem';
import { createCollector } from './gc.js';
import type { Upkeep, UpkeepInput } from './upkeep-types.js';
import { createVerifier } from './verify.js';

export function createUpkeep(input: UpkeepInput): Upkeep {
  const { connection } = input;
  const collect = createCollector(input);
  const verify = createVerifier(input);
  let current: string | null = null;

  async function* alone<P, R>(
    what: string,
    work: () => AsyncGenerator<P, R, undefined>,
  ): AsyncGenerator<P, R, undefined> {
    if (current !== null) {
      throw new Problem(
        'in-use',
        `This process is ${current} the store already. Wait until it is through.`,
      );
    }
    current = what;
    try {
      return yield* work();
    } finally {
      current = null;
    }
  }

  const pages = connection.value<number>('PRAGMA page_count');
  const freePages = connection.value<number>('PRAGMA freelist_count');
  const pageSize = connection.value<number>('PRAGMA page_size');
  const threadBytes = connection.value<number>(`
    WITH RECURSIVE own(id) AS (
      SELECT node FROM step WHERE thread=? AND node IS NOT NULL
      UNION SELECT ref.dst FROM own JOIN ref ON ref.src=own.id JOIN node ON node.id=ref.dst
      WHERE node.type NOT IN ('state', 'start', 'definition'))
    SELECT coalesce(sum(node.size), 0) FROM own JOIN node ON node.id=own.id`);

  return {
    usedBytes: () => ((pages() ?? 0) - (freePages() ?? 0)) * (pageSize() ?? 0),
    threadBytes: (id) => threadBytes(id) ?? 0,
    collect: (options) => alone('collecting garbage in', () => collect(options)),
    verify: () => alone('verifying', verify),
  };
}
