import { code, shownName } from '../printable.js';
import { createCollector } from './collect.js';
import type { WholeCheck } from './types.js';

/** Names that become one on file systems that ignore case or normalise Unicode (macOS, Windows). */
export const nameCollisions: WholeCheck = {
  kind: 'tree',
  name: 'name-collisions',
  run: async ({ files, directories }) => {
    const collector = createCollector('name-collisions');
    const first = new Map<string, string>();
    for (const key of [...directories, ...files.map((file) => file.key)]) {
      const folded = fold(key);
      const other = first.get(folded);
      if (other === undefined) first.set(folded, key);
      else if (other !== key && !parentsCollide(key, other)) {
        const what = `the same name as ${code(shownName(other))} on macOS and Windows`;
        collector.found({ name: shownName(key), line: null, what, sample: false });
      }
    }
    collector.looked(files.length);
    return collector.result();
  },
};

function fold(key: string): string {
  const text = Buffer.from(key, 'latin1').toString('utf8');
  // Not UTF-8: only the bytes can be compared.
  return text.includes('\ufffd') ? key : text.normalize('NFC').toLowerCase();
}

/** Then the directories are the finding, not everything in them. */
function parentsCollide(one: string, other: string): boolean {
  return one.slice(0, one.lastIndexOf('/') + 1) !== other.slice(0, other.lastIndexOf('/') + 1);
}
