import { describe, expect, it } from 'vitest';
import { statusDetail } from './status-detail.js';

const standing = { status: 'running', desired: 'run', reason: null, stepCount: 2 } as const;

describe('what stands behind the status', () => {
  it('is what is about to happen', () => {
    expect(statusDetail({ ...standing, desired: 'pause' })).toBe('pauses after this step');
    expect(statusDetail({ ...standing, desired: 'kill' })).toBe('is being ended');
    expect(statusDetail(standing)).toBeNull();
  });

  it('is where it stands when it was told to pause, whoever told it and when', () => {
    const paused = { ...standing, status: 'paused', reason: 'user' } as const;
    expect(statusDetail(paused)).toBe('after step 2');
    expect(statusDetail({ ...paused, desired: 'pause' })).toBe('after step 2');
    expect(statusDetail({ ...paused, stepCount: 0 })).toBe('before step 1');
  });

  it('is the limit that it came to', () => {
    const of = (reason: 'loop' | 'max-steps' | 'max-visits' | 'budget') =>
      statusDetail({ ...standing, status: 'paused', reason });
    expect(of('loop')).toBe('it went in circles');
    expect(of('max-steps')).toBe('all steps used up');
    expect(of('max-visits')).toBe('a role was visited too often');
    expect(of('budget')).toBe('budget used up');
  });

  it('is not what held before it went on', () => {
    expect(statusDetail({ ...standing, reason: 'loop' })).toBeNull();
    expect(statusDetail({ ...standing, status: 'completed', reason: 'user' })).toBeNull();
  });
});
