import { OUTSIZED_BYTES } from '../limits.js';
import { size } from '../printable.js';
import type { TrackedFile } from '../tracked-files.js';
import { createCollector } from './collect.js';
import type { CheckContext, WholeCheck } from './types.js';

/** Big files that every clone carries for good. Files kept by Git LFS are not among them. */
export const largeFiles: WholeCheck = {
  kind: 'tree',
  name: 'large-files',
  run: async (context) => {
    const collector = createCollector('large-files');
    const large: { file: TrackedFile; bytes: number }[] = [];
    for (const file of context.files) {
      if (file.kind !== 'file') continue;
      const bytes = context.reader.size(file.key);
      if (bytes === null) continue;
      collector.looked();
      if (bytes > OUTSIZED_BYTES) large.push({ file, bytes });
    }
    const elsewhere = await keptByFilter(
      context,
      large.map(({ file }) => file.key),
    );
    large.sort((one, other) => other.bytes - one.bytes);
    for (const { file, bytes } of large) {
      if (elsewhere.has(file.key)) collector.skip('kept by Git LFS');
      else collector.found({ name: file.name, line: null, what: size(bytes), sample: false });
    }
    return collector.result();
  },
};

/** Keys whose attribute `filter` is `lfs`; asked of git by stdin, so that names are never arguments. */
async function keptByFilter(context: CheckContext, keys: readonly string[]): Promise<Set<string>> {
  const kept = new Set<string>();
  if (keys.length === 0) return kept;
  const asked = await context.repository.git(['check-attr', '-z', '--stdin', 'filter'], {
    input: Buffer.from(keys.map((key) => `${key}\0`).join(''), 'latin1'),
  });
  const fields = asked.stdout.toString('latin1').split('\0');
  for (let at = 0; at + 2 < fields.length; at += 3) {
    if (fields[at + 2] === 'lfs') kept.add(fields[at] ?? '');
  }
  return kept;
}
