import { readFileSync } from 'node:fs';
import type { CheckName, Finding } from './checks/index.js';

export type SurveyFacts = {
  repository: string;
  branch: string | null;
  files: number;
  textFiles: number;
  lines: number;
  bytes: number;
  languages: { name: string; files: number; lines: number }[];
  largest: { name: string; bytes: number }[];
  /** Changed and not committed; untracked entries. Null: git took too long. */
  changed: number | null;
  untracked: number | null;
  unmerged: number;
  /** Tracked but not on disk, without those left out on purpose. */
  deleted: number;
  leftOut: string[];
};

export type HotFile = { name: string; changes: number; lines: number; authors: number };

export type HistoryFacts = {
  commits: number;
  /** Days (YYYY-MM-DD) of the oldest and newest commit looked at. */
  from: string;
  to: string;
  authors: number;
  /** All commits of the branch, and the day of the first; null when counting took too long. */
  allCommits: number | null;
  began: string | null;
  hot: HotFile[];
  directories: { name: string; changes: number }[];
  leftOut: string[];
};

export type CheckCount = {
  check: CheckName;
  looked: number;
  found: number;
  samples: number;
  leftOut: string[];
};

export type Detail = { check: CheckName; findings: Finding[] };

/**
 * What the steps before have found. A step sees only the meta of the one before it, so each passes on all that the
 * report will need, in this one field.
 */
export type SoFar = {
  survey?: SurveyFacts;
  history?: HistoryFacts;
  checks?: CheckCount[];
  details?: Detail[];
  /** What kept a step from finishing. */
  trouble?: string[];
};

/** The previous step's meta, as the engine's meta file gives it. */
export type PreviousMeta = {
  $status?: string;
  why?: string;
  focus?: CheckName[];
  round?: number;
  soFar?: SoFar;
};

/** Reads the previous meta; empty before the first step. Throws when the file is not a JSON object. */
export function readPreviousMeta(path: string | undefined): PreviousMeta {
  if (path === undefined || path === '') return {};
  const text = readFileSync(path, 'utf8');
  const meta: unknown = text.trim() === '' ? null : JSON.parse(text);
  if (meta === null) return {};
  if (typeof meta !== 'object' || Array.isArray(meta)) {
    throw new TypeError(`UWF_META_FILE (${path}) must hold a JSON object`);
  }
  return meta;
}
