// One variant of one bench in this process of its own: bench-variant.mjs BUNDLE ID VARIANT FOLDER; started by bench.mjs.
import { pathToFileURL } from 'node:url';

const [bundle, id, variant, folder] = process.argv.slice(2);
const { benches } = await import(pathToFileURL(bundle).href);
const bench = benches.find((candidate) => candidate.id === id);
const runs = {
  prepare: bench.prepare,
  subject: bench.subject,
  baseline: bench.baseline.run,
  ...bench.beside,
};
process.send((await runs[variant](folder)) ?? { samples: [] });
process.disconnect();
