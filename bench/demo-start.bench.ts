import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { emptyNode, uwf, withStorage } from './command.js';
import { type Bench, type Measured, runProgram } from './measure.js';

const RUNS_PER_ROUND = 3;
const FILES = 20;

export const benches: Bench[] = [
  {
    id: 'P12',
    what: '`uwf run demo` from start until its first step is committed',
    unit: 'ms',
    target: { atMost: 8 },
    baseline: { what: '`node -e 0`', run: emptyNode },
    prepare: async (folder) => makeRepository(join(folder, 'repository')),
    subject: untilFirstStep,
    notMeasured: `a large repository (this one has ${FILES} files); a worker that is already there`,
  },
];

/** Every run has a storage root of its own, so that none finds a worker of the one before. */
async function untilFirstStep(folder: string): Promise<Measured> {
  const samples = Array.from({ length: RUNS_PER_ROUND }, () => {
    const place = {
      cwd: join(folder, 'repository'),
      env: withStorage(mkdtempSync(join(folder, 'storage-'))),
    };
    const started = Date.now();
    const { threadId } = JSON.parse(runProgram(uwf('run', 'demo', '--json'), place)) as {
      threadId: string;
    };
    runProgram(uwf('live', threadId, '--json'), place);
    const steps = JSON.parse(runProgram(uwf('step', 'list', threadId, '--json'), place)) as {
      items: { committedAt: string }[];
    };
    const first = steps.items[0];
    if (first === undefined) throw new Error(`thread ${threadId} has no step`);
    return Date.parse(first.committedAt) - started;
  });
  return { samples };
}

function makeRepository(folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (let i = 0; i < FILES; i++) {
    writeFileSync(join(folder, `file-${i}.md`), `# File ${i}\n\nSome text.\n`);
  }
  const place = { cwd: folder, env: process.env };
  const identity = ['-c', 'user.name=bench', '-c', 'user.email=bench@localhost'];
  runProgram(['git', 'init', '--quiet'], place);
  runProgram(['git', 'add', '.'], place);
  runProgram(['git', ...identity, 'commit', '--quiet', '--message', 'Files'], place);
}
