import { describe, expect, it } from 'vitest';
import { CHECK_NAMES, type CheckName } from './checks/index.js';
import { pickExamples } from './checks.js';
import type { LookCloserMeta } from './metas.js';
import { report } from './report.js';
import type { Step } from './steps.js';
import { triage } from './triage.js';

type Counts = Partial<Record<CheckName, number>>;

const step = (role: string, meta: Step['meta']): Step => ({ role, hash: 'HASH', meta });
const overview = (findings: Counts, sampleFindings: Counts = {}) =>
  step('checks', {
    $status: 'findings',
    found: 1,
    samples: 0,
    findings,
    sampleFindings,
    looked: {},
    leftOut: [],
  });
const finding = (name: string) => ({ name, line: 1, what: 'x'.repeat(70), sample: false });

describe('triage', () => {
  it('asks for the worst checks first, those with findings only among samples last', () => {
    const counts = overview({ whitespace: 9, 'yaml-syntax': 1 }, { 'json-syntax': 5 });
    expect(triage([counts]).meta).toEqual({
      $status: 'look-closer',
      round: 1,
      focus: ['yaml-syntax', 'whitespace', 'json-syntax'],
    });
  });

  it('comes to an end even when every check has findings, after every one was looked at', () => {
    const steps = [overview(Object.fromEntries(CHECK_NAMES.map((check) => [check, 3])))];
    const seen: string[] = [];
    for (let visit = 0; visit < 20; visit += 1) {
      const { meta } = triage(steps);
      if (meta.$status === 'settled') break;
      const { round, focus } = meta as unknown as LookCloserMeta;
      seen.push(...focus);
      steps.push(
        step('triage', meta),
        step('checks', { $status: 'detailed', round, focus, examples: {} }),
      );
    }
    expect(seen).toEqual([...CHECK_NAMES]);
  });

  it('ends too when closer looks bring nothing', () => {
    const steps = [overview({ symlinks: 1 })];
    for (let visit = 0; visit < 20; visit += 1) {
      const { meta } = triage(steps);
      if (meta.$status === 'settled') return;
      steps.push(step('triage', meta), step('checks', { $status: 'detailed', focus: [] }));
    }
    expect.fail('it goes round and round');
  });
});

describe('pickExamples', () => {
  it('keeps to a few hundred characters and takes at least one finding of each check', () => {
    const results = CHECK_NAMES.slice(0, 3).map((check) => ({
      check,
      findings: Array.from({ length: 8 }, (_, n) => finding(`file${n}`)),
    }));
    const picked = pickExamples(results);
    expect(JSON.stringify(picked).length).toBeLessThan(650);
    expect(Object.values(picked).map(({ length }) => length)).toEqual([2, 2, 2]);
  });
});

describe('report', () => {
  it('says what is missing when a step before it ended without an answer', () => {
    const answer = report([step('survey', { $status: 'failed' })]);
    expect(answer.meta.$status).toBe('incomplete');
    expect(answer.body.join('\n')).toContain('uwf step show HASH');
  });

  it('tells what to do where there is nothing to read', () => {
    const answer = report([step('survey', { $status: 'no-git', why: 'git is not installed' })]);
    expect(answer.meta).toEqual({
      $status: 'nothing',
      headline: 'Nothing to report: git is not installed',
    });
  });
});
