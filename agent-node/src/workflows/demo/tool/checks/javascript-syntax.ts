import vm from 'node:vm';
import { capture } from '../capture.js';
import {
  JAVASCRIPT_TOTAL_MAX_BYTES,
  MODULE_LOCATE_MAX,
  PARSE_TIMEOUT_MS,
  READ_FILE_MAX_BYTES,
} from '../limits.js';
import { quoted } from '../printable.js';
import { directoryOf, extensionOf, isForeign, type TrackedFile } from '../tracked-files.js';
import { looksLikeTemplate, textOf } from './position.js';
import { TOO_DEEP, within } from './too-deep.js';
import { type CheckContext, FINE, type FileCheck, type FileVerdict } from './types.js';

type Goal = 'script' | 'module' | 'either';
type Failure = { line: number | null; message: string };

/** What every CommonJS module is wrapped with; parsing needs the names because a module may declare them anew. */
const WRAPPER = ['exports', 'require', 'module', '__filename', '__dirname'];

/**
 * Parses JavaScript with V8 in this process: compiled, never run (about 0.1 ms a file where `node --check` takes 40).
 * Modules need `--experimental-vm-modules`; without the flag they are left out.
 */
export function createJavaScriptSyntax(): FileCheck {
  const packageTypes = new Map<string, Goal>();
  let located = 0;
  return {
    kind: 'file',
    name: 'javascript-syntax',
    maxBytes: READ_FILE_MAX_BYTES,
    maxTotalBytes: JAVASCRIPT_TOTAL_MAX_BYTES,
    applies: (file) => /^[cm]?js$/.test(extensionOf(file.key)) && !isForeign(file.key),
    judge: async (file, bytes, context) => {
      const source = textOf(bytes).replace(/^#!/, '//');
      const goal = goalOf(file, context, packageTypes);
      const verdict = judgeJavaScript(source, goal);
      if (!('faults' in verdict)) return verdict;
      const [fault] = verdict.faults;
      if (context.closely && fault?.line === null && located < MODULE_LOCATE_MAX) {
        located += 1;
        fault.line = await locateInModule(source);
      }
      return verdict;
    },
  };
}

const canParseModules = vm.SourceTextModule !== undefined;

/** Judges one text; a fault in a module has no line (V8 tells it only to Node itself). */
export function judgeJavaScript(source: string, goal: Goal): FileVerdict {
  return within(() => judge(source, goal)) ?? TOO_DEEP;
}

function judge(source: string, goal: Goal): FileVerdict {
  // Most files that look like modules are, and failing costs as much as passing.
  if (goal === 'either' && canParseModules && /^(import|export)\b/m.test(source)) {
    if (moduleFailure(source) === null) return FINE;
  }
  const asScript = goal === 'module' ? null : scriptFailure(source);
  if (goal !== 'module' && asScript === null) return FINE;
  if (goal !== 'script' && !canParseModules) return { skipped: 'written as modules' };
  const asModule = goal === 'script' ? null : moduleFailure(source);
  if (goal !== 'script' && asModule === null) return FINE;
  const failure = betterOf(asScript, asModule);
  if (failure === null) return FINE;
  const dialect = dialectOf(source, failure);
  if (dialect !== null) return { skipped: dialect };
  return { faults: [{ line: failure.line, what: quoted(failure.message) }] };
}

function scriptFailure(source: string): Failure | null {
  return failureOf(() => vm.compileFunction(source, WRAPPER, { filename: 'checked' }));
}

function moduleFailure(source: string): Failure | null {
  return failureOf(() => new vm.SourceTextModule(source, { identifier: 'checked' }));
}

function failureOf(compile: () => unknown): Failure | null {
  try {
    compile();
    return null;
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'SyntaxError') throw error;
    const line = /^checked:(\d+)\n/.exec(error.stack ?? '')?.[1];
    return { line: line === undefined ? null : Number(line), message: error.message };
  }
}

// A script that only fails because it is a module says nothing about what is wrong with it.
const MODULE_ONLY =
  /import statement outside|Unexpected token 'export'|import\.meta|await is only valid/;

function betterOf(asScript: Failure | null, asModule: Failure | null): Failure | null {
  if (asScript === null || asModule === null) return asScript ?? asModule;
  return MODULE_ONLY.test(asScript.message) ? asModule : asScript;
}

function dialectOf(source: string, failure: Failure): string | null {
  if (failure.message === "Unexpected token '<'") return 'with JSX';
  if (/@flow\b|^\s*(import|export) type\b/m.test(source)) return 'with type annotations';
  if (/^\s*@\w+/m.test(source) && failure.message.includes('Invalid or unexpected token')) {
    return 'with decorators';
  }
  if (looksLikeTemplate(source)) return 'with template marks';
  return null;
}

/** The nearest tracked package.json upward decides, as in Node; without a word from it both ways are tried. */
function goalOf(file: TrackedFile, context: CheckContext, known: Map<string, Goal>): Goal {
  const extension = extensionOf(file.key);
  if (extension === 'mjs') return 'module';
  if (extension === 'cjs') return 'script';
  for (let directory = directoryOf(file.key); ; directory = directoryOf(directory)) {
    const manifest = directory === '' ? 'package.json' : `${directory}/package.json`;
    const goal = known.get(manifest) ?? packageGoal(manifest, context);
    if (goal !== undefined) {
      known.set(manifest, goal);
      return goal;
    }
    if (directory === '') return 'either';
  }
}

function packageGoal(manifest: string, context: CheckContext): Goal | undefined {
  if (!context.names.has(manifest)) return undefined;
  const content = context.reader.read(manifest, READ_FILE_MAX_BYTES);
  // Bundlers take modules under `"type": "commonjs"` or none, so only "module" is taken at its word.
  return content.kind === 'text' && /"type"\s*:\s*"module"/.test(content.bytes.toString('utf8'))
    ? 'module'
    : 'either';
}

async function locateInModule(source: string): Promise<number | null> {
  const { NODE_OPTIONS: _, ...env } = process.env;
  const checked = await capture(process.execPath, ['--check', '--input-type=module', '-'], {
    cwd: '/',
    env,
    maxBytes: 0,
    timeoutMs: PARSE_TIMEOUT_MS,
    input: Buffer.from(source),
  });
  const line = /\[stdin\]:(\d+)/.exec(checked.stderr)?.[1];
  return line === undefined ? null : Number(line);
}
