// A file is about one thing; beyond this length it is about several. Tests may be longer.
import { readSources } from './sources.mjs';

const LINES_MAX = 500;

const tooLong = readSources()
  .filter(({ isTest }) => !isTest)
  .map(({ path, text }) => ({ path, lines: text.split('\n').length - 1 }))
  .filter(({ lines }) => lines > LINES_MAX);
for (const { path, lines } of tooLong)
  console.error(`${path}: ${lines} lines; split it, at most ${LINES_MAX} are allowed`);
process.exitCode = tooLong.length === 0 ? 0 : 1;
