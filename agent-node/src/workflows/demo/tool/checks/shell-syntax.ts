import { capture, complaint } from '../capture.js';
import { READ_FILE_MAX_BYTES, SCRIPT_CHECK_TIMEOUT_MS, SCRIPTS_MAX } from '../limits.js';
import { quoted } from '../printable.js';
import { extensionOf, isForeign } from '../tracked-files.js';
import { looksLikeTemplate } from './position.js';
import { type CheckContext, FINE, type FileCheck, type FileVerdict } from './types.js';

const SHEBANG = /^#![ \t]*(?:\S*\/)?(?:env[ \t]+(?:-S[ \t]+)?)?([a-z]+)/;
const EXTENSIONS = new Set(['', 'sh', 'bash']);

type Shell = 'sh' | 'bash';

/** Shell scripts by their first line, parsed with `-n`: read, never run. */
export function createShellSyntax(): FileCheck {
  const missing = new Set<Shell>();
  return {
    kind: 'file',
    name: 'shell-syntax',
    maxBytes: READ_FILE_MAX_BYTES,
    maxFiles: SCRIPTS_MAX,
    applies: (file) =>
      EXTENSIONS.has(extensionOf(file.key)) &&
      (file.executable || extensionOf(file.key) !== '') &&
      !isForeign(file.key),
    judge: async (file, bytes, context) => {
      const shell = shellOf(bytes, extensionOf(file.key));
      if (shell === 'none') return { skipped: null };
      if (shell === null) return { skipped: 'for other shells' };
      if (missing.has(shell)) return { skipped: `for ${shell}, which is not installed` };
      return parse(shell, file.key, bytes, context, missing);
    },
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

async function parse(
  shell: Shell,
  key: string,
  bytes: Buffer,
  context: CheckContext,
  missing: Set<Shell>,
): Promise<FileVerdict> {
  // BASH_ENV and ENV name files that a shell runs before anything else.
  const { BASH_ENV: _, ENV: __, SHELLOPTS: ___, BASHOPTS: ____, ...env } = process.env;
  const checked = await context.reader.withFile(key, (descriptor) =>
    // The open file is handed over, so that no name reaches an argument list. extglob patterns are only valid
    // where the option is on, which `-n` cannot see being switched on.
    capture(shell, [...(shell === 'bash' ? ['-O', 'extglob'] : []), '-n', '/dev/stdin'], {
      cwd: '/',
      env: { ...env, LC_ALL: 'C' },
      maxBytes: 0,
      timeoutMs: SCRIPT_CHECK_TIMEOUT_MS,
      input: descriptor,
    }),
  );
  if (checked === null) return { skipped: 'gone while they were looked at' };
  if (checked.missing) {
    missing.add(shell);
    return { skipped: `for ${shell}, which is not installed` };
  }
  if (checked.timedOut) return { skipped: 'that took too long to parse' };
  if (checked.code === 0) return FINE;
  if (looksLikeTemplate(bytes.toString('latin1'))) return { skipped: 'with template marks' };
  const said = /^\/dev\/stdin: (?:line )?(\d+): (.*)$/m.exec(checked.stderr);
  return {
    faults: [
      {
        line: said === null ? null : Number(said[1]),
        what: `${shell}: ${quoted(said?.[2] ?? complaint(checked))}`,
      },
    ],
  };
}

/** The kernel reads no longer first line either. */
const SHEBANG_MAX_CHARS = 256;
