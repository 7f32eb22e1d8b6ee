import { expect, it } from 'vitest';
import { timeOfId } from './time-of-id.js';

it('reads the time of a ULID', () => {
  expect(timeOfId('01ARYZ6S41TSV4RRFFQ69G5FAV')).toBe('2016-07-30T22:36:16.385Z');
  expect(timeOfId('00000000000000000000000000')).toBe('1970-01-01T00:00:00.000Z');
});

it('reads none where there is none', () => {
  expect(timeOfId('')).toBeNull();
  expect(timeOfId('01ARYZ')).toBeNull();
  expect(timeOfId('U1ARYZ6S41TSV4RRFFQ69G5FAV')).toBeNull();
  expect(timeOfId('ZZZZZZZZZZZZZZZZZZZZZZZZZZ')).toBeNull();
});
