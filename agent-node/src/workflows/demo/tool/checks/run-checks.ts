import { CHECK_TIME_MAX_MS, READ_TIME_MAX_MS, READ_TOTAL_MAX_BYTES } from '../limits.js';
import { isSample, type TrackedFile } from '../tracked-files.js';
import { type Collector, createCollector } from './collect.js';
import { conflictMarkers } from './conflict-markers.js';
import { createJavaScriptSyntax } from './javascript-syntax.js';
import { jsonSyntax } from './json-syntax.js';
import { largeFiles } from './large-files.js';
import { markdownLinks } from './markdown-links.js';
import { nameCollisions } from './name-collisions.js';
import { createShellSyntax } from './shell-syntax.js';
import { symlinks } from './symlinks.js';
import {
  CHECK_NAMES,
  type Check,
  type CheckContext,
  type CheckName,
  type CheckResult,
  type FileCheck,
} from './types.js';
import { whitespace } from './whitespace.js';
import { yamlSyntax } from './yaml-syntax.js';

function allChecks(): Check[] {
  return [
    conflictMarkers,
    jsonSyntax,
    yamlSyntax,
    createJavaScriptSyntax(),
    createShellSyntax(),
    nameCollisions,
    markdownLinks,
    symlinks,
    largeFiles,
    whitespace,
  ];
}

/**
 * Runs the named checks, worst first in the result. Each file is read once for all of them; nothing of the
 * repository is run. Bounded in bytes and time; what was left out is said per check.
 */
export async function runChecks(
  context: CheckContext,
  chosen: readonly CheckName[],
): Promise<CheckResult[]> {
  const checks = allChecks().filter((check) => chosen.includes(check.name));
  const results: CheckResult[] = [];
  for (const check of checks) {
    if (check.kind === 'tree') results.push(await check.run(context));
  }
  results.push(
    ...(await runFileChecks(
      context,
      checks.filter((check) => check.kind === 'file'),
    )),
  );
  return results.sort(
    (one, other) => CHECK_NAMES.indexOf(one.check) - CHECK_NAMES.indexOf(other.check),
  );
}

type Running = { check: FileCheck; collector: Collector; judged: number; spentMs: number };

async function runFileChecks(
  context: CheckContext,
  checks: readonly FileCheck[],
): Promise<CheckResult[]> {
  const running: Running[] = checks.map((check) => ({
    check,
    collector: createCollector(check.name),
    judged: 0,
    spentMs: 0,
  }));
  const startedAt = performance.now();
  let bytesRead = 0;
  for (const file of context.files) {
    if (file.kind !== 'file' || file.skipped) continue;
    const meant = running.filter(({ check }) => check.applies(file));
    const due = meant.filter((one) => hasRoom(one));
    if (due.length === 0) continue;
    if (bytesRead > READ_TOTAL_MAX_BYTES || performance.now() - startedAt > READ_TIME_MAX_MS) {
      for (const { collector } of due) collector.skip('because time was up');
      continue;
    }
    const content = context.reader.read(
      file.key,
      Math.max(...due.map(({ check }) => check.maxBytes)),
    );
    if (content.kind === 'large')
      for (const { collector } of due) collector.skip('too large to check');
    if (content.kind !== 'text') continue;
    bytesRead += content.size;
    for (const one of due) await judgeWith(one, file, content.bytes, context);
  }
  return running.map(({ collector }) => collector.result());
}

function hasRoom(one: Running): boolean {
  if (one.judged >= one.check.maxFiles) one.collector.skip(`past the first ${one.check.maxFiles}`);
  else if (one.spentMs > CHECK_TIME_MAX_MS) one.collector.skip('because time was up');
  else return true;
  return false;
}

async function judgeWith(
  one: Running,
  file: TrackedFile,
  bytes: Buffer,
  context: CheckContext,
): Promise<void> {
  if (bytes.length > one.check.maxBytes) {
    one.collector.skip('too large to check');
    return;
  }
  const startedAt = performance.now();
  const verdict = await one.check.judge(file, bytes, context);
  one.spentMs += performance.now() - startedAt;
  if ('skipped' in verdict) {
    if (verdict.skipped !== null) one.collector.skip(verdict.skipped);
    return;
  }
  one.judged += 1;
  one.collector.looked();
  for (const fault of verdict.faults) {
    one.collector.found({ name: file.name, ...fault, sample: isSample(file.key) });
  }
}
