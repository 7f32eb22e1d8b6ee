import { END, START } from '../ids/index.js';
import { END_IN_FILES, START_IN_FILES } from './definition-file-schema.js';

/** The only place that turns a file's `$START` and `$END` into what everything else says. */
export function fromFileName(name: string): string {
  if (name === START_IN_FILES) return START;
  return name === END_IN_FILES ? END : name;
}

/** And back, for messages and paths that people look up in their file. */
export function toFileName(name: string): string {
  if (name === START) return START_IN_FILES;
  return name === END ? END_IN_FILES : name;
}
