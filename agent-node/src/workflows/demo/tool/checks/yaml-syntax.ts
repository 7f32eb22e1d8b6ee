import {
  READ_FILE_MAX_BYTES,
  YAML_FULL_FILE_MAX_BYTES,
  YAML_FULL_TOTAL_MAX_BYTES,
  YAML_MAX_DEPTH,
  YAML_TOTAL_MAX_BYTES,
} from '../limits.js';
import { quoted, size } from '../printable.js';
import { extensionOf, isForeign } from '../tracked-files.js';
import { isPlainYaml } from './plain-yaml.js';
import { looksLikeTemplate, textOf } from './position.js';
import { TOO_DEEP, within } from './too-deep.js';
import { FINE, type FileCheck, type FileVerdict } from './types.js';

export function createYamlSyntax(): FileCheck {
  let room = YAML_FULL_TOTAL_MAX_BYTES;
  return {
    kind: 'file',
    name: 'yaml-syntax',
    maxBytes: READ_FILE_MAX_BYTES,
    maxTotalBytes: YAML_TOTAL_MAX_BYTES,
    applies: (file) => /^ya?ml$/.test(extensionOf(file.key)) && !isForeign(file.key),
    judge: (_file, bytes) => {
      const text = textOf(bytes);
      if (isPlainYaml(text)) return FINE;
      if (bytes.length > YAML_FULL_FILE_MAX_BYTES) return { skipped: 'too large to check' };
      if (bytes.length > room)
        return { skipped: `past the first ${size(YAML_FULL_TOTAL_MAX_BYTES)} that are not simple` };
      room -= bytes.length;
      return judgeYaml(text);
    },
  };
}

/** Judges every document of a YAML text. Unknown tags are no fault, and aliases are never expanded. */
export async function judgeYaml(text: string): Promise<FileVerdict> {
  if (nestsDeeply(text)) return TOO_DEEP;
  // Loaded when the first file is met that needs it.
  const { LineCounter, parseAllDocuments } = await import('./yaml-parser.js');
  const lines = new LineCounter();
  const documents = within(() =>
    parseAllDocuments(text, {
      lineCounter: lines,
      prettyErrors: false,
      keepSourceTokens: false,
      logLevel: 'silent',
      merge: true,
    }),
  );
  if (documents === null) return TOO_DEEP;
  if (!Array.isArray(documents)) return FINE;
  const faults = [];
  for (const document of documents) {
    const [error] = document.errors;
    if (error !== undefined)
      faults.push({
        line: lines.linePos(error.pos[0]).line,
        what: quoted(firstLine(error.message)),
      });
  }
  if (faults.length > 0 && looksLikeTemplate(text)) return { skipped: 'with template marks' };
  return { faults };
}

const SPACE = 32;
const OPENERS = new Set(['[', '{']);
const CLOSERS = new Set([']', '}']);

/** A rough upper bound of the nesting, by brackets, by markers on one line, and by indentation; quotes are not heeded. */
function nestsDeeply(text: string): boolean {
  let open = 0;
  for (const char of text) {
    if (OPENERS.has(char)) open += 1;
    else if (CLOSERS.has(char)) open = Math.max(0, open - 1);
    if (open > YAML_MAX_DEPTH) return true;
  }
  for (const line of text.split('\n')) {
    let indent = 0;
    while (line.charCodeAt(indent) === SPACE) indent += 1;
    const markers = /^(?:[-?:]\s+)*/.exec(line.slice(indent))?.[0].length ?? 0;
    // A marker and its space are two characters; each level of indentation takes at least one.
    if (indent + markers / 2 > YAML_MAX_DEPTH) return true;
  }
  return false;
}

function firstLine(message: string): string {
  return message.split('\n', 1)[0] ?? message;
}
