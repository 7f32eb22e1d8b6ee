import { READ_TIME_MAX_MS, READ_TOTAL_MAX_BYTES } from '../limits.js';
import { size } from '../printable.js';
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
  type FileVerdict,
  type LaterVerdict,
} from './types.js';
import { whitespace } from './whitespace.js';
import { createYamlSyntax } from './yaml-syntax.js';

function allChecks(): Check[] {
  return [
    conflictMarkers,
    jsonSyntax,
    createYamlSyntax(),
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
 * repository is run. Bounded in bytes, so that the result is the same on a busy machine; what was left out is said
 * per check.
 */
export async function runChecks(
  context: CheckContext,
  chosen: readonly CheckName[],
): Promise<CheckResult[]> {
  const checks = allChecks().filter((check) => chosen.includes(check.name));
  const run = (kind: 'git' | 'tree') =>
    Promise.all(checks.flatMap((check) => (check.kind === kind ? [check.run(context)] : [])));
  // Git goes to work at once, beside the reading here; sizes are known once files have been read.
  const ofGit = run('git');
  const ofFiles = await runFileChecks(
    context,
    checks.filter((check) => check.kind === 'file'),
  );
  const results = [...ofFiles, ...(await run('tree')), ...(await ofGit)];
  return results.sort(
    (one, other) => CHECK_NAMES.indexOf(one.check) - CHECK_NAMES.indexOf(other.check),
  );
}

type Running = { check: FileCheck; collector: Collector; judgedBytes: number };
type Deferred = { one: Running; file: TrackedFile; verdict: Promise<FileVerdict> };

async function runFileChecks(
  context: CheckContext,
  checks: readonly FileCheck[],
): Promise<CheckResult[]> {
  const running: Running[] = checks.map((check) => ({
    check,
    collector: createCollector(check.name),
    judgedBytes: 0,
  }));
  const deferred: Deferred[] = [];
  const startedAt = performance.now();
  let bytesRead = 0;
  for (const file of context.files) {
    if (file.kind !== 'file' || file.skipped) continue;
    const due = running.filter(({ check }) => check.applies(file));
    if (due.length === 0) continue;
    if (bytesRead > READ_TOTAL_MAX_BYTES || performance.now() - startedAt > READ_TIME_MAX_MS) {
      for (const { collector } of due) collector.skip('because there is too much to read');
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
    for (const one of due) {
      const verdict = judge(one, file, content.bytes, context);
      if ('later' in verdict) {
        deferred.push({ one, file, verdict: verdict.later });
        // An error is met where the verdict is awaited; until then it is not an unhandled one.
        verdict.later.catch(() => undefined);
      } else record(one, file, verdict instanceof Promise ? await verdict : verdict);
    }
  }
  for (const { check } of running) check.finish?.();
  for (const { one, file, verdict } of deferred) record(one, file, await verdict);
  return running.map(({ collector }) => collector.result());
}

function judge(
  one: Running,
  file: TrackedFile,
  bytes: Buffer,
  context: CheckContext,
): FileVerdict | LaterVerdict | Promise<FileVerdict> {
  const { maxBytes, maxTotalBytes } = one.check;
  if (bytes.length > maxBytes) return { skipped: 'too large to check' };
  if (one.judgedBytes + bytes.length > maxTotalBytes)
    return { skipped: `past the first ${size(maxTotalBytes)}` };
  one.judgedBytes += bytes.length;
  return one.check.judge(file, bytes, context);
}

function record({ collector }: Running, file: TrackedFile, verdict: FileVerdict): void {
  if ('skipped' in verdict) {
    if (verdict.skipped !== null) collector.skip(verdict.skipped);
    return;
  }
  collector.looked();
  for (const fault of verdict.faults) {
    collector.found({ name: file.name, ...fault, sample: isSample(file.key) });
  }
}
