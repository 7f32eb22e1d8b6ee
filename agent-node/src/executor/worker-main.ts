import { runWorker } from './worker.js';
import { waitForCall } from './worker-process.js';

const [root, key] = process.argv.slice(2);
if (root === undefined || key === undefined) {
  process.stderr.write('usage: worker <storage root> <worker key>; started by uwf, not by hand\n');
  process.exitCode = 2;
} else {
  // A worker outlives the terminal that started it.
  process.on('SIGHUP', () => undefined);
  if (waitForCall()) await runWorker(root, key, process.env);
}
