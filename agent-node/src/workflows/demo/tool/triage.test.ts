import { describe, expect, it } from 'vitest';
import { CHECK_NAMES } from './checks/index.js';
import { fitDetails } from './checks.js';
import { report } from './report.js';
import type { PreviousMeta } from './so-far.js';
import { triage } from './triage.js';

const result = (check: (typeof CHECK_NAMES)[number], found: number, samples = 0) => ({
  check,
  looked: 9,
  found,
  samples,
  leftOut: [],
});
const finding = (name: string) => ({ name, line: 1, what: 'x'.repeat(100), sample: false });

describe('triage', () => {
  it('asks for the worst checks first, those with findings only among samples last', () => {
    const checks = [result('whitespace', 9), result('json-syntax', 0, 5), result('yaml-syntax', 1)];
    const answer = triage({ $status: 'findings', soFar: { checks } });
    expect(answer.meta).toMatchObject({
      $status: 'look-closer',
      round: 1,
      focus: ['yaml-syntax', 'whitespace', 'json-syntax'],
    });
  });

  it('comes to an end even when every check has findings, after every one was looked at', () => {
    const checks = CHECK_NAMES.map((check) => result(check, 3));
    let meta: PreviousMeta = { $status: 'findings', soFar: { checks, details: [] } };
    const seen: string[] = [];
    for (let step = 0; step < 20; step += 1) {
      const answer = triage(meta).meta as PreviousMeta;
      if (answer.$status === 'settled') break;
      const focus = answer.focus ?? [];
      seen.push(...focus);
      const details = focus.map((check) => ({ check, findings: [finding('a')] }));
      meta = {
        ...answer,
        soFar: { checks, details: [...(answer.soFar?.details ?? []), ...details] },
      };
    }
    expect(seen).toEqual([...CHECK_NAMES]);
  });

  it('ends too when a closer look brings nothing', () => {
    const soFar = { checks: [result('symlinks', 1)] };
    expect(triage({ round: 3, soFar }).meta.$status).toBe('settled');
  });
});

describe('fitDetails', () => {
  it('keeps a few kB and at least one finding of each check', () => {
    const details = CHECK_NAMES.map((check) => ({
      check,
      findings: Array.from({ length: 8 }, (_, n) => finding(`file${n}`)),
    }));
    const fitted = fitDetails(details);
    expect(JSON.stringify(fitted).length).toBeLessThanOrEqual(4_000);
    expect(fitted.every((one) => one.findings.length >= 1)).toBe(true);
    expect(fitted[0]?.findings.length).toBeGreaterThan(1);
  });
});

describe('report', () => {
  it('says what is missing when a step before it ended without an answer', () => {
    const answer = report({ $status: 'failed' });
    expect(answer.meta.$status).toBe('incomplete');
    expect(answer.body.join('\n')).toContain('uwf step list');
  });

  it('tells what to do where there is nothing to read', () => {
    const answer = report({ $status: 'no-git', why: 'git is not installed' });
    expect(answer.meta).toEqual({
      $status: 'nothing',
      headline: 'Nothing to report: git is not installed',
    });
  });
});
