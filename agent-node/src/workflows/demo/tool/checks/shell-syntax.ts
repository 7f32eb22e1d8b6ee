import { READ_FILE_MAX_BYTES, SCRIPTS_MAX } from '../limits.js';
import { quoted } from '../printable.js';
import { extensionOf, isForeign } from '../tracked-files.js';
import { looksLikeTemplate } from './position.js';
import { createShellParser, type Parsed, type Shell, type ShellParser } from './shell-parser.js';
import { FINE, type FileCheck, type FileVerdict } from './types.js';

const SHEBANG = /^#![ \t]*(?:\S*\/)?(?:env[ \t]+(?:-S[ \t]+)?)?([a-z]+)/;
const EXTENSIONS = new Set(['', 'sh', 'bash']);

/** Shell scripts by their first line, parsed with `-n`: read, never run. */
export function createShellSyntax(): FileCheck {
  let parser: ShellParser | null = null;
  let scripts = 0;
  return {
    kind: 'file',
    name: 'shell-syntax',
    maxBytes: READ_FILE_MAX_BYTES,
    maxTotalBytes: Number.POSITIVE_INFINITY,
    applies: (file) =>
      EXTENSIONS.has(extensionOf(file.key)) &&
      (file.executable || extensionOf(file.key) !== '') &&
      !isForeign(file.key),
    judge: (file, bytes, context) => {
      const shell = shellOf(bytes, extensionOf(file.key));
      if (shell === 'none') return { skipped: null };
      if (shell === null) return { skipped: 'for other shells' };
      scripts += 1;
      if (scripts > SCRIPTS_MAX) return { skipped: `past the first ${SCRIPTS_MAX}` };
      parser ??= createShellParser();
      const descriptor = context.reader.open(file.key);
      if (descriptor === null) return { skipped: 'gone while they were looked at' };
      const isTemplate = looksLikeTemplate(bytes.toString('latin1'));
      return {
        later: parser
          .parse(shell, descriptor)
          .then((parsed) => verdictOf(parsed, shell, isTemplate)),
      };
    },
    finish: () => parser?.flush(),
  };
}

function shellOf(bytes: Buffer, extension: string): Shell | 'none' | null {
  const first = bytes.toString('latin1', 0, SHEBANG_MAX_CHARS).split('\n', 1)[0] ?? '';
  const named = SHEBANG.exec(first)?.[1];
  if (named === undefined) {
    // Without a first line that names a shell: .sh files are mostly sourced by bash, which takes sh as well.
    return extension === '' ? 'none' : 'bash';
  }
  if (named === 'bash') return 'bash';
  if (named === 'sh' || named === 'dash' || named === 'ash') return 'sh';
  return /sh$/.test(named) ? null : 'none';
}

function verdictOf(parsed: Parsed, shell: Shell, isTemplate: boolean): FileVerdict {
  if (parsed === 'missing') return { skipped: `for ${shell}, which is not installed` };
  if (parsed === 'unfinished') return { skipped: 'that took too long to parse' };
  if (parsed === null) return FINE;
  if (isTemplate) return { skipped: 'with template marks' };
  return { faults: [{ line: parsed.line, what: `${shell}: ${quoted(parsed.message)}` }] };
}

/** The kernel reads no longer first line either. */
const SHEBANG_MAX_CHARS = 256;
