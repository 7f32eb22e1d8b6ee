import { expect, it } from 'vitest';
import { findHolder } from './lock-holder.js';

const LOCKS = `1: POSIX  ADVISORY  READ 100 fe:00:5001 123 123
2: POSIX  ADVISORY  WRITE 200 fe:00:5001 120 120
2: -> POSIX  ADVISORY  WRITE 300 fe:00:5001 120 120
3: FLOCK  ADVISORY  WRITE 400 fe:00:6001 0 EOF
4: POSIX  ADVISORY  WRITE 0 fe:00:7001 0 EOF
`;

it('the holder of a lock is who has it, not who reads, waits or locks another file or byte', () => {
  expect(findHolder(LOCKS, 5001, 120)).toBe(200);
  expect(findHolder(LOCKS, 5001, 121)).toBeNull();
  expect(findHolder(LOCKS, 6001, 120)).toBe(400);
  expect(findHolder(LOCKS, 7001, null)).toBeNull();
  expect(findHolder(LOCKS, 1, null)).toBeNull();
  expect(findHolder('', 5001, 120)).toBeNull();
});
