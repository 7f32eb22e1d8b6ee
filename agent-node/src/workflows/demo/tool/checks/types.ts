import type { Repository } from '../git.js';
import type { FileReader } from '../read-file.js';
import type { TrackedFile } from '../tracked-files.js';

export const CHECK_NAMES = [
  'conflict-markers',
  'json-syntax',
  'yaml-syntax',
  'javascript-syntax',
  'shell-syntax',
  'name-collisions',
  'markdown-links',
  'symlinks',
  'large-files',
  'whitespace',
] as const;

/** Worst first: the order in which triage takes them. */
export type CheckName = (typeof CHECK_NAMES)[number];

export type Finding = {
  /** Path as shown. */
  name: string;
  /** From 1; null when the finding is about the whole file. */
  line: number | null;
  what: string;
  /** Lies among tests and samples: quite possibly on purpose. */
  sample: boolean;
};

export type CheckResult = {
  check: CheckName;
  /** Files (or links, names) examined. */
  looked: number;
  /** Findings outside of tests and samples, and inside. */
  found: number;
  samples: number;
  /** The first of them, samples last. */
  findings: Finding[];
  /** What was not examined and why, ready to read. */
  leftOut: string[];
};

export type CheckContext = {
  repository: Repository;
  reader: FileReader;
  files: readonly TrackedFile[];
  /** Keys of all tracked names, and of all directories they lie in. */
  names: ReadonlySet<string>;
  directories: ReadonlySet<string>;
  /** Findings will be read one by one, so what costs extra time to say of each is worth it. */
  closely: boolean;
};

/** What a check says about one file: its faults, or why it was not judged (null: it is none of this check's files). */
export type FileVerdict = { faults: Fault[] } | { skipped: string | null };
export type Fault = { line: number | null; what: string };

/** Comes while other files are judged; must not keep the file's bytes. */
export type LaterVerdict = { later: Promise<FileVerdict> };

/** Judges the text of one file at a time. */
export type FileCheck = {
  kind: 'file';
  name: CheckName;
  /** Of one file, and of all files judged. */
  maxBytes: number;
  maxTotalBytes: number;
  applies: (file: TrackedFile) => boolean;
  judge: (
    file: TrackedFile,
    bytes: Buffer,
    context: CheckContext,
  ) => FileVerdict | LaterVerdict | Promise<FileVerdict>;
  /** After the last file: later verdicts have to come now. */
  finish?: () => void;
};

/** Looks at names and sizes (`tree`), or has git look at changes (`git`). */
export type WholeCheck = {
  kind: 'tree' | 'git';
  name: CheckName;
  run: (context: CheckContext) => Promise<CheckResult>;
};

export type Check = FileCheck | WholeCheck;

/** Nothing wrong. */
export const FINE: FileVerdict = { faults: [] };
