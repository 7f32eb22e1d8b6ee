import type { CheckName } from './checks/index.js';

// What each role says of itself, for people who watch and for the roles after it. Short on purpose: lists in full are in
// the answers. The schemas in the definition say the same.

export type SurveyMeta = {
  repository: string;
  /** Null: a detached HEAD. */
  branch: string | null;
  files: number;
  /** Lines of text. */
  lines: number;
  bytes: number;
  language: string;
  /** Lines by language, of the largest. */
  languages: Record<string, number>;
  largest: { name: string; bytes: number }[];
  /** The state of the working tree in a few words. */
  workingTree: string;
  leftOut: string[];
};

export type HotFile = { name: string; changes: number; lines: number; authors: number };

export type HistoryMeta = {
  commits: number;
  authors: number;
  /** Days (YYYY-MM-DD) of the oldest and newest commit looked at. */
  from: string;
  to: string;
  /** All commits of the branch, and the day of the first; null when there are too many to count. */
  allCommits: number | null;
  began: string | null;
  hottest: string;
  hot: HotFile[];
  directories: { name: string; changes: number }[];
  leftOut: string[];
};

type ByCheck = Partial<Record<CheckName, number>>;

export type OverviewMeta = {
  /** Findings outside of tests and samples, and inside. */
  found: number;
  samples: number;
  findings: ByCheck;
  sampleFindings: ByCheck;
  /** What each check examined. */
  looked: ByCheck;
  leftOut: string[];
};

export type DetailsMeta = {
  round: number;
  focus: CheckName[];
  /** The first of each check, as Markdown, outside of tests and samples first; all are in the answer. */
  examples: Partial<Record<CheckName, string[]>>;
};

export type LookCloserMeta = { round: number; focus: CheckName[] };

/** The meta of each status that a later role asks for. */
export type MetaOf = {
  surveyed: SurveyMeta;
  read: HistoryMeta;
  ok: OverviewMeta;
  findings: OverviewMeta;
  detailed: DetailsMeta;
  'look-closer': LookCloserMeta;
  failed: { why?: string };
};
