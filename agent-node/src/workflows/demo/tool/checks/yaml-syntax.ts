import { YAML_FILE_MAX_BYTES } from '../limits.js';
import { quoted } from '../printable.js';
import { extensionOf, isForeign } from '../tracked-files.js';
import { looksLikeTemplate, textOf } from './position.js';
import { TOO_DEEP, within } from './too-deep.js';
import { FINE, type FileCheck, type FileVerdict } from './types.js';

export const yamlSyntax: FileCheck = {
  kind: 'file',
  name: 'yaml-syntax',
  maxBytes: YAML_FILE_MAX_BYTES,
  maxFiles: Number.POSITIVE_INFINITY,
  applies: (file) => /^ya?ml$/.test(extensionOf(file.key)) && !isForeign(file.key),
  judge: (_file, bytes) => judgeYaml(textOf(bytes)),
};

/** Judges every document of a YAML text. Unknown tags are no fault, and aliases are never expanded. */
export async function judgeYaml(text: string): Promise<FileVerdict> {
  // Loaded when the first YAML file is met: the other roles of this program should start fast.
  const { LineCounter, parseAllDocuments } = await import('yaml');
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

function firstLine(message: string): string {
  return message.split('\n', 1)[0] ?? message;
}
