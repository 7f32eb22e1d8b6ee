import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { latestMeta, readSteps } from './steps.js';

const home = mkdtempSync(join(tmpdir(), 'uwf-steps-'));
const file = join(home, 'steps.jsonl');
const line = (round: number) =>
  `${JSON.stringify({ role: 'triage', hash: `H${round}`, meta: { $status: 'look-closer', round, focus: [] } })}\n`;

afterAll(() => rmSync(home, { recursive: true, force: true }));

describe('the steps file', () => {
  it('is read in order, and the newest meta of a status counts', () => {
    writeFileSync(file, line(1) + line(2));
    const steps = readSteps(file);
    expect(steps.map(({ hash }) => hash)).toEqual(['H1', 'H2']);
    expect(latestMeta(steps, 'look-closer')).toMatchObject({ round: 2 });
    expect(latestMeta(steps, 'detailed')).toBeUndefined();
  });

  it('is refused where it is damaged, with the place', () => {
    for (const [text, place] of [
      [`${line(1)}{"role":`, 'line 2'],
      [`${line(1)}nonsense\n`, 'line 2'],
      [`[]\n${line(1)}`, 'line 1'],
      [`{"role":"a","hash":"h","meta":{}}\n`, 'line 1'],
    ] as const) {
      writeFileSync(file, text);
      expect(() => readSteps(file)).toThrow(`${place} of UWF_STEPS_FILE (${file}) is damaged`);
    }
  });

  it('is missed in so many words', () => {
    expect(() => readSteps(undefined)).toThrow('UWF_STEPS_FILE is not set');
    expect(() => readSteps(join(home, 'gone'))).toThrow('UWF_STEPS_FILE cannot be read: ENOENT');
  });
});
