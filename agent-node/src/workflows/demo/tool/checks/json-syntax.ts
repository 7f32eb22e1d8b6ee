import { JSON_TOTAL_MAX_BYTES, READ_FILE_MAX_BYTES } from '../limits.js';
import { baseName, extensionOf, isForeign } from '../tracked-files.js';
import { findJsonError } from './json-scanner.js';
import { lineAt, looksLikeTemplate, textOf } from './position.js';
import { TOO_DEEP, within } from './too-deep.js';
import { FINE, type FileCheck, type FileVerdict } from './types.js';

const STRICT = new Set(['json', 'webmanifest', 'geojson', 'ipynb']);
const RELAXED = new Set(['jsonc', 'code-workspace']);

// Files that end in .json and whose readers take comments and trailing commas.
const RELAXED_NAME =
  /^(tsconfig|jsconfig)([.-].*)?\.json$|^(tslint|devcontainer|api-extractor|typedoc|turbo|deno|biome|renovate|nx|project|angular|language-configuration|settings|launch|tasks|extensions|keybindings)\.json$|^\.(eslintrc|babelrc|swcrc|jshintrc|jscsrc|nycrc|prettierrc|hintrc|markdownlint|oxlintrc|devcontainer)(\.json)?$|\.code-snippets$/i;
const RELAXED_PLACE = /(^|\/)(\.vscode|\.devcontainer|\.zed|\.config)\//;

export const jsonSyntax: FileCheck = {
  kind: 'file',
  name: 'json-syntax',
  maxBytes: READ_FILE_MAX_BYTES,
  maxTotalBytes: JSON_TOTAL_MAX_BYTES,
  applies: (file) => {
    const extension = extensionOf(file.key);
    return (STRICT.has(extension) || RELAXED.has(extension)) && !isForeign(file.key);
  },
  judge: (file, bytes) => judgeJson(file.key, textOf(bytes)),
};

/** Judges a JSON text by the dialect its path stands for. */
export function judgeJson(key: string, text: string): FileVerdict {
  const parses = within(() => isJson(text));
  if (parses === null) return TOO_DEEP;
  if (parses) return FINE;
  return within(() => locate(key, text)) ?? TOO_DEEP;
}

function locate(key: string, text: string): FileVerdict {
  const error = findJsonError(text, { relaxed: isRelaxed(key) });
  if (error === null) return FINE;
  if (looksLikeTemplate(text)) return { skipped: 'with template marks' };
  const hint =
    findJsonError(text, { relaxed: true }) === null ? ' (fine as JSON with comments)' : '';
  return { faults: [{ line: lineAt(text, error.offset), what: `${error.message}${hint}` }] };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

function isRelaxed(key: string): boolean {
  return (
    RELAXED.has(extensionOf(key)) || RELAXED_NAME.test(baseName(key)) || RELAXED_PLACE.test(key)
  );
}
