import { describe, expect, it } from 'vitest';
import { nearestName } from './index.js';

describe('nearestName', () => {
  it.each([
    ['codre', 'coder'],
    ['reviwer', 'reviewer'],
    ['Goal', 'goal'],
    ['maxVisit', 'maxVisits'],
    ['$Start', '$START'],
  ])('takes %s for %s', (name, meant) => {
    expect(nearestName(name, ['reviewer', 'coder', 'goal', 'maxVisits', '$START'])).toBe(meant);
  });

  it('guesses nothing when nothing is near', () => {
    expect(nearestName('tester', ['coder', 'goal'])).toBeNull();
    expect(nearestName('x', [])).toBeNull();
    expect(nearestName('coder'.repeat(100), ['coder'])).toBeNull();
  });
});
