import { join } from 'node:path';
import { emptyNode, STARTS_PER_ROUND, uwf, withStorage } from './command.js';
import { type Bench, runProgram, timeProgram } from './measure.js';

const LIST = uwf('thread', 'list', '--json');
const place = (folder: string) => ({ cwd: folder, env: withStorage(join(folder, 'storage')) });

export const benches: Bench[] = [
  {
    id: 'P11',
    what: '`uwf thread list --json` from start to exit',
    unit: 'ms',
    target: { atMost: 3 },
    baseline: { what: '`node -e 0`', run: emptyNode },
    prepare: async (folder) => {
      runProgram(LIST, place(folder));
    },
    subject: async (folder) => timeProgram(STARTS_PER_ROUND, LIST, place(folder)),
    notMeasured: 'the first start after a reboot (cold disk); a store with many threads',
  },
];
