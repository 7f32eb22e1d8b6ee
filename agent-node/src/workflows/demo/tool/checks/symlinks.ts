import { code, shownName } from '../printable.js';
import { directoryOf } from '../tracked-files.js';
import { createCollector } from './collect.js';
import { resolveInside } from './resolve-inside.js';
import type { WholeCheck } from './types.js';

/** Tracked symlinks that end nowhere or outside of the repository. Read, never followed. */
export const symlinks: WholeCheck = {
  kind: 'tree',
  name: 'symlinks',
  run: async ({ files, reader, names, directories }) => {
    const collector = createCollector('symlinks');
    for (const file of files) {
      if (file.kind !== 'symlink' || file.skipped) continue;
      const target = reader.target(file.key);
      if (target === null) continue;
      collector.looked();
      const inside = target.startsWith('/') ? null : resolveInside(directoryOf(file.key), target);
      if (inside === null) {
        const what = `points out of the repository, to ${code(shownName(target))}`;
        collector.found({ name: file.name, line: null, what, sample: false });
      } else if (
        inside !== '' &&
        !names.has(inside) &&
        !directories.has(inside) &&
        !reader.exists(inside)
      ) {
        const what = `points to ${code(shownName(target))}, which does not exist`;
        collector.found({ name: file.name, line: null, what, sample: false });
      }
    }
    return collector.result();
  },
};
