import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { filtersOf, isNarrowed, NO_FILTERS, searchOf, THREAD_STATUSES } from './thread-search.js';

describe('filters in an address', () => {
  it('come back as they were', () => {
    const filters = fc.record({
      status: fc.subarray([...THREAD_STATUSES]),
      workflow: fc.constantFrom('', 'demo', 'solve-issue'),
      node: fc.constantFrom('', 'build-1', '0'),
      q: fc.string({ maxLength: 50 }).map((text) => text.trim()),
    });
    fc.assert(
      fc.property(filters, (given) => {
        expect(filtersOf(searchOf(given))).toEqual(given);
      }),
    );
  });

  it('leave out what does not narrow', () => {
    expect(searchOf(NO_FILTERS)).toEqual({});
    expect(isNarrowed(NO_FILTERS)).toBe(false);
    expect(isNarrowed(filtersOf({ status: 'failed' }))).toBe(true);
  });

  it('ignore what nobody can mean', () => {
    expect(
      filtersOf({ status: 'failed,nonsense,failed', workflow: '../x', node: 'A B', q: ['x'] }),
    ).toEqual({ ...NO_FILTERS, status: ['failed'] });
  });

  it('take a number for a search, as the router reads one', () => {
    expect(filtersOf({ q: 42 }).q).toBe('42');
  });
});
