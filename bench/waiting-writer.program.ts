// Writes to a store all the time: waiting-writer.program.mjs ROOT. Ended by TERM it prints how long its writes waited.
import { setTimeout as sleep } from 'node:timers/promises';
import { openStore } from '../agent-node/src/store/index.js';

const PAUSE_MS = 5;

const store = await openStore(process.argv[2]!, { clock: Date.now });
const waits: number[] = [];
let isOver = false;
process.on('SIGTERM', () => {
  isOver = true;
});
process.stdout.write('ready\n');
for (let n = 0; !isOver; n += 1) {
  const started = performance.now();
  store.write('normal', () => store.settings.set('bench', String(n)));
  waits.push(performance.now() - started);
  await sleep(PAUSE_MS);
}
store.close();
waits.sort((a, b) => a - b);
const at = (part: number): string =>
  (waits[Math.min(waits.length - 1, Math.floor(waits.length * part))] ?? 0).toFixed(1);
process.stdout.write(
  `${at(0.5)} ms (p50), ${at(0.99)} ms (p99), ${at(1)} ms at most, of ${waits.length}\n`,
);
