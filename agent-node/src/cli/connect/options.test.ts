import { nodeNameSchema } from '@uncaged/protocol/ids';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseAllow, parseGateways, parseLabels, parseNodeName } from './options.js';

describe('the options of connect', () => {
  it('take gateways once each, without a slash at their end', () => {
    expect(
      parseGateways(
        ['https://a.test/', 'https://a.test', 'HTTPS://B.test/x/', 'http://[::1]:1'],
        false,
      ),
    ).toEqual(['https://a.test', 'https://b.test/x', 'http://[::1]:1']);
  });

  it.each(['http://localhost', 'http://127.0.0.1:4800', 'http://127.8.8.8', 'http://[::1]'])(
    'take %s for this machine',
    (url) => expect(parseGateways([url], false)).toHaveLength(1),
  );

  it.each([
    'http://127.0.0.1.example',
    'http://localhost.example',
    'http://10.0.0.1',
    'http://a.test',
  ])('take %s with --insecure only', (url) => {
    expect(() => parseGateways([url], false)).toThrow('--insecure');
    expect(parseGateways([url], true)).toEqual([url]);
  });

  it('name the node after its host, as far as that is a name', () => {
    expect(parseNodeName(undefined, 'Build-1.example.com')).toBe('build-1');
    expect(parseNodeName(undefined, "Ann's MacBook_Pro.local")).toBe('ann-s-macbook-pro');
    expect(parseNodeName(undefined, '日本')).toBe('node');
    expect(parseNodeName('x1', 'other')).toBe('x1');
    fc.assert(
      fc.property(fc.string({ maxLength: 200, unit: 'binary' }), (host) => {
        expect(nodeNameSchema.safeParse(parseNodeName(undefined, host)).success).toBe(true);
      }),
    );
  });

  it('read labels', () => {
    expect(parseLabels(['os=linux,gpu=', 'zone=eu'])).toEqual({ os: 'linux', gpu: '', zone: 'eu' });
    expect(parseLabels([])).toEqual({});
    for (const text of [
      '',
      'os',
      '=x',
      'os=a,os=b',
      'os=a b',
      'os=a,',
      '__proto__=x',
      `${'x'.repeat(64)}=1`,
    ])
      expect(() => parseLabels([text])).toThrow('--labels');
    const many = Array.from({ length: 65 }, (_, n) => `k${n}=v`).join(',');
    expect(() => parseLabels([many])).toThrow('at most 64 labels');
  });

  it('read what is allowed', () => {
    expect(parseAllow(undefined)).toEqual(['read', 'control', 'run']);
    expect(parseAllow('read, publish,read')).toEqual(['read', 'publish']);
    for (const text of ['', 'all', 'read,'])
      expect(() => parseAllow(text)).toThrow('read,control,run,publish');
  });
});
