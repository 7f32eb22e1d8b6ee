import { beforeEach, describe, expect, it } from 'vitest';
import { groupOf } from './address-group.js';
import { createFailures, type Failures } from './failures.js';
import { ADDRESSES_MAX } from './limits.js';

let now: number;
let failures: Failures;
beforeEach(() => {
  now = 1_000_000;
  failures = createFailures({ max: 2, windowMs: 10_000, clock: () => now });
});

function isLimited(address: string): boolean {
  try {
    failures.check(address);
    return false;
  } catch (error) {
    expect(error).toMatchObject({ code: 'rate-limited' });
    return true;
  }
}
function fail(address: string, times: number): void {
  for (let i = 0; i < times; i++) failures.add(address);
}

describe('failures', () => {
  it('say how long to wait', () => {
    fail('192.0.2.1', 2);
    now += 2500;
    expect(() => failures.check('192.0.2.1')).toThrowError(
      expect.objectContaining({ details: { retryAfterS: 8 } }),
    );
  });

  it('are forgotten when the window of the first is over', () => {
    fail('192.0.2.1', 1);
    now += 9999;
    fail('192.0.2.1', 1);
    expect(isLimited('192.0.2.1')).toBe(true);
    now += 1;
    expect(isLimited('192.0.2.1')).toBe(false);
    fail('192.0.2.1', 1);
    expect(isLimited('192.0.2.1')).toBe(false);
  });

  it('lock nobody out for longer when the clock is set back', () => {
    fail('192.0.2.1', 2);
    now -= 500_000;
    expect(isLimited('192.0.2.1')).toBe(false);
  });

  it('count a /64 of IPv6 as one, and IPv4 by address, however it is written', () => {
    fail('2001:db8::1', 1);
    fail('2001:db8:0:0:ffff::2', 1);
    expect(isLimited('2001:0db8::abcd')).toBe(true);
    expect(isLimited('2001:db8:0:1::1')).toBe(false);
    fail('::ffff:192.0.2.1', 2);
    expect(isLimited('192.0.2.1')).toBe(true);
    expect(isLimited('::ffff:c000:201')).toBe(true);
    expect(isLimited('192.0.2.2')).toBe(false);
  });

  it('keep a bounded number of addresses, the newest ones', () => {
    fail('192.0.2.1', 2);
    for (let i = 0; i < ADDRESSES_MAX; i++) fail(`host-${i}`, 2);
    expect(isLimited('192.0.2.1')).toBe(false);
    expect(isLimited('host-0')).toBe(true);
    expect(isLimited(`host-${ADDRESSES_MAX - 1}`)).toBe(true);
  });
});

it.each([
  ['::1', '0:0:0:0::/64'],
  ['::', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['1:2:3:4:5:6:7:8', '1:2:3:4::/64'],
  ['1::', '1:0:0:0::/64'],
  ['64:ff9b::192.0.2.33', '64:ff9b:0:0::/64'],
  ['::ffff:10.1.2.3', '10.1.2.3'],
  ['10.1.2.3', '10.1.2.3'],
  ['unknown', 'unknown'],
  ['x'.repeat(100), 'x'.repeat(64)],
])('counts %s as %s', (address, group) => {
  expect(groupOf(address)).toBe(group);
});
