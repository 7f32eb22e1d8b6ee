import { READ_FILE_MAX_BYTES } from '../limits.js';
import { quoted } from '../printable.js';
import { isForeign } from '../tracked-files.js';
import { type Fault, FINE, type FileCheck, type FileVerdict } from './types.js';

const OPENING = Buffer.from('<<<<<<< ');
export const conflictMarkers: FileCheck = {
  kind: 'file',
  name: 'conflict-markers',
  maxBytes: READ_FILE_MAX_BYTES,
  maxTotalBytes: Number.POSITIVE_INFINITY,
  applies: (file) => !isForeign(file.key),
  judge: (_file, bytes) =>
    bytes.includes(OPENING) ? findConflicts(bytes.toString('latin1')) : FINE,
};

/** All three marks in order: a row of `=` alone is a heading in several markups. */
function findConflicts(text: string): FileVerdict {
  const faults: Fault[] = [];
  let opening: { line: number; text: string } | null = null;
  let divided = false;
  for (const [index, line] of text.split('\n').entries()) {
    if (line.startsWith('<<<<<<< ')) {
      opening = { line: index + 1, text: line.trim() };
      divided = false;
    } else if (opening !== null && /^={7}\r?$/.test(line)) {
      divided = true;
    } else if (opening !== null && divided && /^>{7}(\s|$)/.test(line)) {
      faults.push({
        line: opening.line,
        what: `unresolved merge conflict, from ${quoted(opening.text)}`,
      });
      opening = null;
    }
  }
  return { faults };
}
