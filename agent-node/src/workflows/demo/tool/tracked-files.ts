import { FILES_MAX } from './limits.js';
import { shownName } from './printable.js';

/** A name git tracks. */
export type TrackedFile = {
  /** The path's bytes as Latin-1 characters: lossless, whatever the encoding; key of every map. */
  key: string;
  /** The path as shown to people. */
  name: string;
  kind: 'file' | 'symlink' | 'submodule';
  /** Mode 100755. */
  executable: boolean;
  /** Left out of the working tree on purpose (sparse checkout). */
  skipped: boolean;
};

export type TrackedFiles = {
  files: TrackedFile[];
  /** Including those past the limit. */
  total: number;
};

const GITLINK = '160000';
const SYMLINK = '120000';
const EXECUTABLE = '100755';

/** Its output is what {@link parseTrackedFiles} reads. */
export const LIST_ARGS = ['ls-files', '-z', '-t', '--stage'] as const;

/** Reads `git ls-files -z -t --stage`: `<tag> <mode> <object> <stage>\t<path>\0`. */
export function parseTrackedFiles(output: Buffer): TrackedFiles {
  const files: TrackedFile[] = [];
  let total = 0;
  let last: TrackedFile | undefined;
  let from = 0;
  for (let end = output.indexOf(0, from); end !== -1; end = output.indexOf(0, from)) {
    const entry = output.toString('latin1', from, end);
    from = end + 1;
    const tab = entry.indexOf('\t');
    const [tag = '', mode = ''] = entry.slice(0, tab).split(' ');
    const key = entry.slice(tab + 1);
    // Several sides of a merge.
    if (last?.key === key) continue;
    total += 1;
    last = {
      key,
      name: '',
      kind: mode === GITLINK ? 'submodule' : mode === SYMLINK ? 'symlink' : 'file',
      executable: mode === EXECUTABLE,
      skipped: tag === 'S',
    };
    if (files.length < FILES_MAX) {
      last.name = shownName(key);
      files.push(last);
    }
  }
  return { files, total };
}

/** Lower-case extension without the dot; empty when there is none. */
export function extensionOf(key: string): string {
  const base = baseName(key);
  const dot = base.lastIndexOf('.');
  return dot <= 0 ? '' : base.slice(dot + 1).toLowerCase();
}

/** Last part of a path. */
export function baseName(key: string): string {
  return key.slice(key.lastIndexOf('/') + 1);
}

/** The directory of a path; empty at the top. */
export function directoryOf(key: string): string {
  return key.slice(0, Math.max(0, key.lastIndexOf('/')));
}

const VENDORED = /(^|\/)(node_modules|bower_components|vendor|third[_-]?party|\.yarn)\//i;
const GENERATED = /(\.min\.(js|css|mjs)|\.map|\.bundle\.js)$/i;

/** Copied in or generated: its faults are not this repository's to fix. */
export function isForeign(key: string): boolean {
  return VENDORED.test(key) || GENERATED.test(key);
}

const SAMPLE_DIRECTORY =
  /(^|\/)([^/]*[._-])?(fixtures?|__fixtures__|test-?data|test-?cases?|tests?|__tests__|specs?|corpus|__snapshots__|samples?|invalid|malformed|broken|bad)([._-][^/]*)?\//i;
const SAMPLE_NAME = /[.-](test|spec|fixture|sample)\.[^/]*$/i;

/** Lies among tests and samples, where broken files are often broken on purpose. */
export function isSample(key: string): boolean {
  return SAMPLE_DIRECTORY.test(key) || SAMPLE_NAME.test(key);
}
